"""The poster against Slack's answers: each post once, at Slack's pace, and what fails is seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from approvals.store import changed, tx
from bot.slack.poster import THREAD_GONE
from bot.slack.steady import AT_ONCE
from bot.slack.store.outbox import failed_posts, next_due_post, retry_post, ts_of
from bot.slack.store.posts import Method, Post, PostState, Priority, edit_of, private_answer
from bot.slack.views import Message as Said
from tests.bot.slack.posting import ANN, CHANNEL, OTHER, OUT, Desk


def test_a_post_bears_its_key_and_never_unfurls_a_link(desk: Desk) -> None:
    desk.post(Post(channel=CHANNEL, key="k", payload=Said(text="https://x.example").payload()))

    (call,) = desk.workspace.calls("chat.postMessage")
    assert call.args["metadata"] == {"event_type": "handrail", "event_payload": {"key": "k"}}
    assert (call.args["unfurl_links"], call.args["unfurl_media"]) == (False, False)


def test_the_same_key_is_posted_once(desk: Desk) -> None:
    desk.post(desk.say("one"), desk.say("again", key="one"))
    desk.work()

    assert desk.thread() == ["one"]


def test_a_channel_gets_one_message_a_second_and_another_channel_does_not_wait(
    desk: Desk,
) -> None:
    desk.post(desk.say("1"), desk.say("2"), desk.say("elsewhere", channel=OTHER))

    assert desk.thread() == ["1"]
    assert len(desk.workspace.history(OTHER)) == 1

    desk.workspace.advance(1)
    desk.poster.step(desk.db)
    assert desk.thread() == ["1", "2"]


def test_case_76_a_post_whose_answer_was_lost_is_found_and_not_sent_again(desk: Desk) -> None:
    desk.workspace.faults.lose_answer("chat.postMessage")

    desk.post(desk.say("card"))
    assert desk.count(PostState.SENDING) == 1
    desk.work()

    assert desk.thread() == ["card"]
    assert len(desk.workspace.calls("chat.postMessage")) == 1
    assert ts_of(desk.db, "card") == desk.replies()[0].ts


def test_case_60_a_post_that_slack_never_got_is_sent_again(desk: Desk) -> None:
    desk.workspace.faults.lose_request("chat.postMessage")

    desk.post(desk.say("card"))
    desk.work()

    assert desk.thread() == ["card"]


@pytest.mark.parametrize("code", ["internal_error", "fatal_error", "service_unavailable"])
def test_an_error_of_slacks_own_is_looked_up_and_tried_again(desk: Desk, code: str) -> None:
    desk.workspace.faults.refuse("chat.postMessage", code)

    desk.post(desk.say("card"))
    desk.work()

    assert desk.thread() == ["card"]
    assert len(desk.workspace.calls("conversations.replies")) == 1


def test_a_page_of_html_instead_of_an_answer_is_tried_again(desk: Desk) -> None:
    desk.workspace.faults.break_("chat.postMessage", 502, times=2)

    desk.post(desk.say("card"))
    desk.work()

    assert desk.thread() == ["card"]


def test_a_process_killed_after_slack_took_a_post_does_not_post_again(desk: Desk) -> None:
    desk.workspace.faults.lose_answer("chat.postMessage")
    desk.post(desk.say("card"))

    desk.start()
    desk.work()

    assert desk.thread() == ["card"]


def test_a_message_of_another_bot_with_our_key_is_not_ours(desk: Desk) -> None:
    desk.workspace.faults.lose_request("chat.postMessage")
    desk.workspace.post(
        None,
        "card",
        channel=CHANNEL,
        thread=desk.ticket,
        bot_id="B0OTHER",
        metadata={"event_type": "handrail", "event_payload": {"key": "card"}},
        deliver=False,
    )

    desk.post(desk.say("card"))
    desk.work()

    assert desk.thread() == ["card"]


def test_a_look_up_that_fails_leaves_the_post_in_doubt(desk: Desk) -> None:
    desk.workspace.faults.lose_answer("chat.postMessage")
    desk.workspace.faults.break_("conversations.replies")
    desk.workspace.faults.rate_limit("conversations.replies", 20)

    desk.post(desk.say("card"))
    desk.work()

    assert desk.thread() == ["card"]
    assert len(desk.workspace.calls("chat.postMessage")) == 1


def test_a_message_of_the_channel_itself_is_looked_up_in_its_history(desk: Desk) -> None:
    desk.workspace.faults.lose_answer("chat.postMessage")

    desk.post(desk.say("digest", channel=OTHER))
    desk.work()

    assert len(desk.workspace.history(OTHER)) == 1


def test_a_thread_keeps_its_order_while_an_older_post_is_in_doubt(desk: Desk) -> None:
    desk.workspace.faults.lose_request("chat.postMessage")

    desk.post(desk.say("1"), desk.say("2"))
    desk.work()

    assert desk.thread() == ["1", "2"]


def test_case_69_an_edit_waits_as_long_as_slack_says_and_posts_do_not_wait_with_it(
    desk: Desk,
) -> None:
    desk.post(desk.say("card"))
    desk.workspace.faults.rate_limit("chat.update", 30)
    edit = edit_of(Said(text="decided"), channel=CHANNEL, target_key="card", key="card:1")

    desk.put(edit)
    desk.work(1)
    desk.put(desk.say("note"))
    desk.work(5)
    assert desk.thread() == ["card", "note"]
    assert len(desk.workspace.calls("chat.update")) == 1

    desk.work(40)
    assert desk.thread() == ["decided", "note"]


def test_after_a_429_the_method_is_not_called_for_another_message_either(desk: Desk) -> None:
    desk.post(desk.say("1"), desk.say("2"))
    desk.work()
    desk.workspace.faults.rate_limit("chat.update", 30)

    for key in ("1", "2"):
        desk.put(edit_of(Said(text="x"), channel=CHANNEL, target_key=key, key=f"{key}:x"))
    desk.work(20)

    assert len(desk.workspace.calls("chat.update")) == 1


def test_case_69_of_the_states_that_wait_only_the_newest_is_sent_and_it_goes_first(
    desk: Desk,
) -> None:
    desk.post(desk.say("status"), desk.say("card"))
    desk.work()
    desk.workspace.faults.rate_limit("chat.update", 30)
    said = edit_of(
        Said(text="step 1"),
        channel=CHANNEL,
        target_key="status",
        key="status:1",
        priority=Priority.PROGRESS,
    )
    desk.post(said)
    for number in (2, 3):
        desk.put(
            edit_of(
                Said(text=f"step {number}"),
                channel=CHANNEL,
                target_key="status",
                key=f"status:{number}",
                priority=Priority.PROGRESS,
            )
        )
    desk.put(
        edit_of(
            Said(text="decided"),
            channel=CHANNEL,
            target_key="card",
            key="card:1",
            priority=Priority.FINAL,
        )
    )
    desk.work()

    sent = [call.args["text"] for call in desk.workspace.calls("chat.update")]
    assert sent == ["step 1", "decided", "step 3"]
    assert desk.count(PostState.SKIPPED) == 2


@pytest.mark.parametrize("lost", [False, True])
def test_of_the_lines_about_one_thing_that_wait_only_the_newest_is_posted(
    desk: Desk, lost: bool
) -> None:
    if lost:
        desk.workspace.faults.lose_request("chat.postMessage")
    else:
        desk.workspace.faults.rate_limit("chat.postMessage", 30)

    desk.post(replace(desk.say("needs a signature"), stream="P-1"))
    desk.put(replace(desk.say("another's"), stream="P-2"), desk.say("of nothing"))
    desk.put(replace(desk.say("done"), stream="P-1"))
    desk.work()

    assert desk.thread() == ["another's", "of nothing", "done"]
    assert desk.count(PostState.SKIPPED) == 1


def test_an_edit_waits_until_its_message_is_posted(desk: Desk) -> None:
    desk.workspace.faults.lose_request("chat.postMessage")
    edit = edit_of(Said(text="decided"), channel=CHANNEL, target_key="card", key="card:1")

    desk.post(desk.say("card"), edit)
    assert desk.workspace.calls("chat.update") == []
    desk.work()

    assert desk.thread() == ["decided"]


def test_an_edit_of_what_was_given_up_is_given_up(desk: Desk) -> None:
    desk.workspace.faults.refuse("chat.postMessage", "msg_too_long")
    edit = edit_of(Said(text="decided"), channel=CHANNEL, target_key="card", key="card:1")

    desk.post(desk.say("card"), edit)
    desk.work()

    assert desk.failures() == [
        ("card:1", "the message that it changes was not posted"),
        ("card", "msg_too_long"),
    ]


@pytest.mark.parametrize("key", ["card:P-222-222", "status:run-1", "gave-up:run-1"])
def test_a_message_that_people_need_and_somebody_deleted_is_posted_again_by_its_next_edit(
    desk: Desk, key: str
) -> None:
    desk.post(desk.say("waiting", key=key))
    desk.work()
    (first,) = desk.replies()
    desk.workspace.delete(first, deliver=False)

    for told in ("done", "done, and told"):
        desk.post(edit_of(Said(text=told), channel=CHANNEL, target_key=key, key=f"{key}:{told}"))
        desk.work()

        (again,) = desk.replies()
        assert again.text == told
        assert again.ts != first.ts
        assert again.metadata is not None
        assert again.metadata["event_payload"] == {"key": key}
    assert desk.failures() == []
    assert len(desk.workspace.calls("chat.postMessage")) == 2


def test_a_message_that_is_posted_again_is_looked_up_when_its_answer_is_lost(desk: Desk) -> None:
    desk.post(desk.say("waiting", key="card:P-222-222"))
    desk.work()
    desk.workspace.delete(desk.replies()[0], deliver=False)
    desk.workspace.faults.lose_answer("chat.postMessage")
    edit = edit_of(Said(text="done"), channel=CHANNEL, target_key="card:P-222-222", key="1")
    desk.post(edit)
    desk.work()

    assert desk.thread() == ["done"]
    assert desk.failures() == []


def test_a_draft_that_somebody_took_away_stays_away(desk: Desk) -> None:
    desk.post(desk.say("Dear customer", key="draft:run-1:0"))
    desk.work()
    desk.workspace.delete(desk.replies()[0], deliver=False)
    edit = edit_of(Said(text="edited"), channel=CHANNEL, target_key="draft:run-1:0", key="1")
    desk.post(edit)
    desk.work()

    assert desk.thread() == []
    assert desk.failures() == [("1", "message_not_found")]


def test_an_operator_has_what_was_given_up_tried_again(desk: Desk) -> None:
    desk.workspace.faults.refuse("chat.postMessage", "no_text")
    desk.post(desk.say("card"))
    (failed,) = failed_posts(desk.db)

    with tx(desk.db):
        assert retry_post(desk.db, failed.outbox_id, now_us=desk.now_us())
    desk.work()

    assert desk.thread() == ["card"]
    assert desk.failures() == []


def test_case_45_a_reply_to_a_deleted_message_does_not_stay_in_the_channel(desk: Desk) -> None:
    desk.workspace.delete(desk.ticket, deliver=False)

    desk.post(desk.say("card"))
    desk.work()

    assert [each.text for each in desk.workspace.history(CHANNEL)] == []
    assert desk.failures() == [("card", THREAD_GONE)]


def test_case_45_nor_does_one_whose_answer_was_lost(desk: Desk) -> None:
    desk.workspace.delete(desk.ticket, deliver=False)
    desk.workspace.faults.lose_answer("chat.postMessage")

    desk.post(desk.say("card"))
    desk.work()

    assert [each.text for each in desk.workspace.history(CHANNEL)] == []
    assert desk.failures() == [("card", THREAD_GONE)]
    assert len(desk.workspace.calls("chat.postMessage")) == 1


def test_case_51_blocks_that_slack_does_not_take_are_said_in_plain_text(desk: Desk) -> None:
    too_long = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3001}}

    desk.post(
        Post(
            channel=CHANNEL,
            key="card",
            payload={"text": "P-1: a refund", "blocks": [too_long]},
            thread_ts=desk.ticket.ts,
        )
    )
    desk.work()

    assert desk.thread() == ["P-1: a refund"]
    assert desk.failures() == [("card", "invalid_blocks")]


def test_an_answer_to_somebody_outside_the_channel_goes_to_them_directly(desk: Desk) -> None:
    answer = private_answer(
        Said(text="Not you."), channel=CHANNEL, thread_ts=None, user_id=OUT, key="answer:1"
    )

    desk.post(answer)
    desk.work()

    assert [each.text for each in desk.workspace.direct(OUT)] == ["Not you."]


def test_an_answer_in_a_channel_that_is_archived_goes_to_who_pressed_directly(desk: Desk) -> None:
    desk.workspace.faults.refuse("chat.postEphemeral", "is_archived")
    answer = private_answer(
        Said(text="Not you."), channel=CHANNEL, thread_ts=None, user_id=ANN, key="answer:1"
    )

    desk.post(answer)
    desk.work()

    assert [each.text for each in desk.workspace.direct(ANN)] == ["Not you."]


@pytest.mark.parametrize("lose", ["lose_request", "lose_answer"])
def test_a_direct_message_whose_answer_was_lost_is_sent_again_and_not_looked_up(
    desk: Desk, lose: str
) -> None:
    getattr(desk.workspace.faults, lose)("chat.postMessage")

    desk.post(Post(channel=ANN, key="answer:1", payload={"text": "It is done already."}))
    desk.work()

    assert {each.text for each in desk.workspace.direct(ANN)} == {"It is done already."}
    assert desk.workspace.calls("conversations.history") == []
    assert (desk.count(PostState.SENT), desk.failures()) == (1, [])


def test_a_direct_message_in_doubt_does_not_wait_for_look_ups_that_slack_limits(
    desk: Desk,
) -> None:
    desk.workspace.faults.lose_request("chat.postMessage", times=2)
    desk.workspace.faults.rate_limit("conversations.history", 100)

    desk.post(desk.say("1", channel=OTHER), Post(channel=ANN, key="2", payload={"text": "2"}))
    desk.work(50)

    assert [each.text for each in desk.workspace.direct(ANN)] == ["2"]
    assert desk.workspace.history(OTHER) == []


def test_an_answer_to_a_person_does_not_wait_for_the_pace_of_the_channel(desk: Desk) -> None:
    answer = private_answer(
        Said(text="Already done."),
        channel=CHANNEL,
        thread_ts=desk.ticket.ts,
        user_id=ANN,
        key="answer:1",
    )

    desk.post(desk.say("1"), desk.say("2"), answer)

    assert [each.text for each in desk.workspace.ephemerals(ANN)] == ["Already done."]
    assert desk.thread() == ["1"]


def test_a_post_is_still_tried_after_hours_without_slack(desk: Desk) -> None:
    desk.workspace.faults.lose_request("chat.postMessage", times=100)

    desk.post(desk.say("final"))
    desk.work(2 * 3600)

    assert desk.thread() == ["final"]


def test_removing_what_is_gone_is_done(desk: Desk) -> None:
    desk.post(Post(channel=CHANNEL, key="x", payload={"ts": "1.000001"}, method=Method.DELETE))

    assert desk.failures() == []
    assert desk.count(PostState.SENT) == 1


RUNS = 16


def test_of_sixteen_runs_in_one_channel_the_final_messages_come_first(desk: Desk) -> None:
    started = [desk.say(f"run {n} began") for n in range(RUNS)]
    draft = replace(desk.say("draft"), priority=Priority.FINAL)
    card = replace(desk.say("card"), priority=Priority.FINAL)
    desk.put(*started, draft, card)

    desk.work(seconds=3)

    assert desk.thread()[:2] == ["draft", "card"]


def test_progress_of_sixteen_runs_leaves_room_for_the_edits_that_say_how_it_ended(
    desk: Desk,
) -> None:
    desk.post(*(desk.say(f"status {n}") for n in range(RUNS)))
    desk.work()
    began = desk.clock.now()
    for second in range(60):
        desk.put(*(progress(n, second) for n in range(RUNS)))
        if second == 30:
            ended = edit_of(Said(text="ended"), channel=CHANNEL, target_key="status 0", key="end")
            desk.put(replace(ended, priority=Priority.FINAL))
        desk.work(seconds=0.999)
        desk.workspace.advance(began + second + 1 - desk.clock.now())

    edits = [(c.args["text"], c.at - began) for c in desk.workspace.calls("chat.update")]
    assert ("ended", 30.0) in edits
    assert 25 <= len(edits) <= 32


def progress(run: int, second: int) -> Post:
    """Return an edit that only shows where a run stands."""
    said = Said(text=f"run {run}, second {second}")
    key = f"status {run}"
    return edit_of(
        said,
        channel=CHANNEL,
        target_key=key,
        key=f"{key}:{second}",
        priority=Priority.PROGRESS,
    )


def test_choosing_the_next_post_costs_the_same_however_many_were_sent(desk: Desk) -> None:
    few, many = cost_behind(desk, 1), cost_behind(desk, 500)

    assert many == few


def cost_behind(desk: Desk, sent: int) -> int:
    """Return how many steps SQLite takes to choose among a few posts, behind so many sent ones."""
    desk.put(*(desk.say(f"{n} of {sent}") for n in range(sent)))
    with tx(desk.db):
        changed(desk.db, "UPDATE outbox SET state = 'sent', ts = '1'")
    desk.put(*(desk.say(f"waits {n} behind {sent}") for n in range(RUNS)))
    steps: list[None] = []
    desk.db.conn.set_progress_handler(lambda: steps.append(None), 1)
    next_due_post(desk.db, now_us=desk.now_us())
    desk.db.conn.set_progress_handler(None, 1)
    return len(steps)


def test_a_step_sends_a_part_of_a_backlog_so_that_a_stop_is_seen(desk: Desk) -> None:
    posts = [
        private_answer(
            Said(text="Done."), channel=CHANNEL, thread_ts=None, user_id=ANN, key=f"a{number}"
        )
        for number in range(AT_ONCE + 2)
    ]
    desk.put(*posts)

    due_us = desk.poster.step(desk.db)

    assert len(desk.workspace.ephemerals(ANN)) == AT_ONCE
    assert due_us == desk.now_us()
    desk.work()
    assert len(desk.workspace.ephemerals(ANN)) == AT_ONCE + 2
