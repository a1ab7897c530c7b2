"""Every error that Slack documents for the methods that the bot calls, and what the bot does.

The codes are those of docs.slack.dev, the pages of the methods; those that no call of ours can
cause (arguments that we never give) are here all the same.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.slack.calls import Failure, Limited, Lost, Refused
from bot.slack.manifest import manifest, manifest_text
from bot.slack.remedies import Course, course_of, remedy, told_of
from bot.slack.store.posts import Method, Post, edit_of, private_answer
from bot.slack.views import Message as Said
from bot.workspace import Channel
from tests.bot.slack.posting import ANN, BOT, CHANNEL, OTHER, Desk

PASSES = """
fatal_error internal_error request_timeout service_unavailable team_added_to_org
""".split()
"""Slack's own troubles: part of what was asked may have been done, so it is looked up first."""
WAITS_FOR_APP = """
access_denied account_inactive ekm_access_denied enterprise_is_restricted invalid_auth
message_limit_exceeded no_permission not_allowed_token_type not_authed org_login_required
team_access_not_granted token_expired token_revoked two_factor_setup_required
""".split()
WAITS_FOR_METHOD = """
accesslimited deprecated_endpoint method_deprecated missing_scope unknown_method
""".split()
WAITS_FOR_CHANNEL = """
channel_not_found external_channel_migrating is_archived is_inactive not_in_channel
restricted_action restricted_action_non_threadable_channel restricted_action_read_only_channel
restricted_action_thread_only_channel team_not_found
""".split()
GIVEN_UP = """
as_user_not_supported attachment_payload_limit_exceeded block_mismatch cannot_reply_to_message
cant_broadcast_message cant_delete_message cant_update_message compliance_exports_prevent_deletion
duplicate_channel_not_found duplicate_message_not_found edit_window_closed invalid_arg_name
invalid_arguments invalid_array_arg invalid_attachments invalid_blocks_format invalid_charset
invalid_form_data invalid_metadata_format invalid_metadata_schema invalid_post_type is_bot
markdown_text_conflict messages_tab_disabled metadata_must_be_sent_from_app metadata_too_large
missing_post_type msg_too_long no_dual_broadcast_content_update no_text
slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
slack_connect_lists_sharing_blocked streaming_state_conflict too_many_attachments
too_many_contact_cards user_not_in_channel
""".split()
TABLE = [
    *((code, Course.AWAIT_APP) for code in WAITS_FOR_APP),
    *((code, Course.AWAIT_METHOD) for code in WAITS_FOR_METHOD),
    *((code, Course.AWAIT_CHANNEL) for code in WAITS_FOR_CHANNEL),
    *((code, Course.GIVE_UP) for code in GIVEN_UP),
]
WAITS = ["token_revoked", "missing_scope", "is_archived", "not_in_channel"]
"""At least one of each kind: what the bot does with a code follows from its kind alone."""
MINUTE = 60
"""Seconds within which it is tried again whether a repair was made."""


def told(caplog: pytest.LogCaptureFixture, code: str) -> int:
    """Count the lines of the log that name a code."""
    return sum(code in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize(("code", "course"), TABLE)
def test_each_documented_code_has_its_course_and_says_what_to_do(code: str, course: Course) -> None:
    assert course_of(code) is course
    assert ("handrail letters" in remedy(code)) is (course is Course.GIVE_UP)


@pytest.mark.parametrize(
    ("answer", "what", "to_do"),
    [
        (Refused(code="is_archived", method="users.info"), "is_archived", remedy("is_archived")),
        (Limited(wait_s=30, method="users.info"), "429", "nothing: it is tried again"),
        (
            Lost(code="TimeoutError", error=TimeoutError()),
            "users.info got no answer: the time was over",
            "nothing: it is tried again",
        ),
    ],
    ids=["refused", "limited", "lost"],
)
def test_what_a_call_came_to_is_told_in_words_with_what_to_do(
    answer: Failure, what: str, to_do: str
) -> None:
    assert told_of("users.info", answer) == (what, to_do)


@pytest.mark.parametrize("code", PASSES)
def test_what_passes_by_itself_is_looked_up_and_said_once(desk: Desk, code: str) -> None:
    desk.workspace.faults.refuse("chat.postMessage", code, times=3)
    desk.post(desk.say("draft"))
    desk.work()

    assert (desk.thread(), desk.failures()) == (["draft"], [])


@pytest.mark.parametrize("code", ["ratelimited", "rate_limited"])
def test_a_limit_without_a_wait_is_kept_for_half_a_minute(desk: Desk, code: str) -> None:
    desk.workspace.faults.refuse("chat.postMessage", code)
    desk.post(desk.say("draft"))
    desk.work(29)
    assert desk.thread() == []
    desk.work(2)

    assert desk.thread() == ["draft"]


@pytest.mark.parametrize("code", WAITS)
def test_what_somebody_must_repair_waits_and_is_said_once_in_the_log(
    desk: Desk, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk.workspace.faults.refuse("chat.postMessage", code, times=6)
    desk.post(*(desk.say(f"{n}") for n in range(3)))
    desk.work(2 * MINUTE)
    assert (desk.thread(), desk.failures()) == ([], [])
    desk.work(6 * MINUTE)

    assert sorted(desk.thread()) == ["0", "1", "2"]
    assert told(caplog, code) == 1
    assert [r.getMessage() for r in caplog.records if "over:" in r.getMessage()]


@pytest.mark.parametrize("code", ["msg_too_long", "of_tomorrow"])
def test_what_slack_never_takes_is_given_up_by_name(
    desk: Desk, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk.workspace.faults.refuse("chat.postMessage", code, times=2)
    desk.post(desk.say("1"), desk.say("2"), desk.say("3"))
    desk.work()

    assert desk.failures() == [("2", code), ("1", code)]
    assert desk.thread() == ["3"]
    assert told(caplog, code) == 1


@pytest.mark.parametrize("code", ["internal_error", *WAITS])
def test_an_edit_waits_as_its_message_would(desk: Desk, code: str) -> None:
    desk.post(desk.say("card"))
    desk.work()
    desk.workspace.faults.refuse("chat.update", code, times=2)
    desk.post(edit_of(Said(text="done"), channel=CHANNEL, target_key="card", key="card:1"))
    desk.work(4 * MINUTE)

    assert (desk.thread(), desk.failures()) == (["done"], [])


@pytest.mark.parametrize("code", ["token_revoked", "missing_scope"])
def test_an_answer_to_one_person_waits_for_the_app(desk: Desk, code: str) -> None:
    desk.workspace.faults.refuse("chat.postEphemeral", code, times=2)
    desk.post(
        private_answer(Said(text="No."), channel=CHANNEL, thread_ts=None, user_id=ANN, key="a")
    )
    desk.work(4 * MINUTE)

    assert [each.text for each in desk.workspace.ephemerals(ANN)] == ["No."]


@pytest.mark.parametrize("code", ["channel_not_found", "not_in_channel", "messages_tab_disabled"])
def test_for_a_person_whom_nothing_reaches_there_is_no_waiting(desk: Desk, code: str) -> None:
    desk.workspace.faults.refuse("chat.postMessage", code)
    desk.post(Post(channel=ANN, key="direct", payload={"text": "No."}))
    desk.work()

    assert desk.failures() == [("direct", code)]


@pytest.mark.parametrize("code", ["internal_error", *WAITS])
def test_a_look_up_that_is_refused_leads_to_no_second_post(desk: Desk, code: str) -> None:
    desk.workspace.faults.lose_answer("chat.postMessage")
    desk.workspace.faults.refuse("conversations.replies", code, times=2)
    desk.post(desk.say("card"))
    desk.work(5 * MINUTE)

    assert (desk.thread(), desk.failures()) == (["card"], [])
    assert len(desk.workspace.calls("chat.postMessage")) == 1


def test_a_limit_of_the_look_up_holds_all_look_ups_and_no_post(desk: Desk) -> None:
    desk.workspace.faults.lose_answer("chat.postMessage", times=2)
    desk.post(desk.say("1"), desk.say("elsewhere", channel=OTHER))
    second = desk.workspace.post(ANN, "Another ticket", channel=CHANNEL, deliver=False)
    desk.workspace.faults.rate_limit("conversations.replies", 40)
    third = replace(desk.say("2"), thread_ts=second.ts)
    desk.put(third)
    desk.workspace.faults.lose_answer("chat.postMessage")
    desk.work(30)

    assert len(desk.workspace.calls("conversations.replies")) == 1
    assert [each.text for each in desk.workspace.history(OTHER)] == ["elsewhere"]
    desk.work(60)
    assert desk.failures() == []
    assert desk.thread() == ["1"]
    assert [each.text for each in desk.workspace.replies(second)] == ["2"]
    assert len(desk.workspace.calls("chat.postMessage")) == 3


def test_a_token_that_is_revoked_while_it_runs_loses_nothing_and_goes_on(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.workspace.revoke_token()
    desk.post(*(desk.say(f"{n}") for n in range(5)))
    desk.work(10 * MINUTE)
    tried = len(desk.workspace.calls("chat.postMessage"))
    desk.workspace.revoke_token(revoked=False)
    desk.work(2 * MINUTE)

    assert sorted(desk.thread()) == ["0", "1", "2", "3", "4"]
    assert tried <= 11  # once a minute, not once a row
    assert told(caplog, "token_revoked") == 1


@pytest.mark.parametrize("broken", ["archived", "removed"])
def test_a_channel_that_is_closed_to_us_is_waited_for_and_others_go_on(
    desk: Desk, broken: str
) -> None:
    here = Channel(id=CHANNEL, name="support", members=(ANN, BOT))
    archived = replace(here, is_archived=True)
    removed = replace(here, members=(ANN,))
    desk.workspace.put_channel(archived if broken == "archived" else removed)
    desk.post(desk.say("1"), desk.say("2"), desk.say("elsewhere", channel=OTHER))
    desk.work(3 * MINUTE)
    assert (desk.thread(), len(desk.workspace.history(OTHER))) == ([], 1)

    desk.workspace.put_channel(here)
    desk.work(2 * MINUTE)
    assert desk.thread() == ["1", "2"]
    assert desk.failures() == []


def test_a_missing_scope_closes_its_method_alone_and_is_named_with_its_line(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.post(desk.say("card"))
    me = desk.workspace.identity
    desk.workspace._core.identity = replace(me, scopes=me.scopes - {"chat:write"})
    desk.post(desk.say("draft"))
    desk.work(MINUTE)
    desk.workspace._core.identity = me
    desk.work(2 * MINUTE)

    line = manifest_text(manifest()).splitlines().index('        "chat:write",') + 1
    assert f"the scope chat:write (line {line} of handrail manifest)" in caplog.text
    assert desk.thread() == ["card", "draft"]


def test_a_removal_of_what_may_not_be_removed_is_given_up(desk: Desk) -> None:
    desk.workspace.faults.refuse("chat.delete", "compliance_exports_prevent_deletion")
    desk.post(Post(channel=CHANNEL, key="x", payload={"ts": "1.000001"}, method=Method.DELETE))

    assert desk.failures() == [("x", "compliance_exports_prevent_deletion")]
