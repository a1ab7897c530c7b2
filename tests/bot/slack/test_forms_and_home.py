"""Forms, App Home, the answers of the command, the digest and refusals."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from approvals import (
    AlreadyDecided,
    ApprovalsError,
    AuditHead,
    LookUpsDue,
    NotAllowed,
    OperationState,
    OperationUnknown,
    ProposalState,
    ProposalUnknown,
    Refusal,
)
from bot.slack import blocks
from bot.slack.amounts import amount_field
from bot.slack.blocks import modals
from bot.slack.refs import (
    ActionId,
    Field,
    LetterRef,
    ProposalRef,
    RunRef,
    TicketRef,
    read_letter_ref,
    read_proposal_ref,
    read_run_ref,
    read_ticket_ref,
    submitted,
)
from bot.slack.views import (
    CopyView,
    DigestView,
    DraftProposal,
    HealthLine,
    HomeView,
    Letter,
    LetterKind,
    RunLine,
    WaitingLine,
)
from bot.slack.words import home
from loop import Result, StopReason
from tests.bot.slack.looks import (
    AT_US,
    LABEL,
    action_view,
    assert_fits,
    assert_view_fits,
    buttons,
    card,
    mark,
    operation,
    shown,
    texts,
)
from tests.bot.slack.test_run_messages import DRAFT, HOSTILE, STOP
from tools import Money

TEXT_BLOCKS = ("header", "context")
TICKET = TicketRef(channel="C1", ts="1700000000.000100")
ANY = st.one_of(
    st.sampled_from(["x" * 9_000, "&" * 5_000, HOSTILE * 60, "```\n" * 500]),
    st.text(max_size=200),
    st.just(HOSTILE),
)


def inputs(view: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the inputs of a form by name."""
    found = [block for block in view["blocks"] if block["type"] == "input"]
    assert all(block["block_id"] == block["element"]["action_id"] for block in found)
    return {block["block_id"]: block["element"] for block in found}


def shown_in(view: dict[str, Any]) -> str:
    return "\n".join(texts(view["blocks"]))


def test_rejecting_asks_why_and_keeps_the_version_that_was_shown() -> None:
    view = blocks.reject_modal(card(row={"version": 2}))

    assert set(inputs(view)) == {Field.REASON}
    assert read_proposal_ref(view["private_metadata"]) == ProposalRef(
        proposal_id="P-7KM-4XQ", version=2
    )
    assert_view_fits(view)


def test_editing_offers_each_refund_and_no_label() -> None:
    each = [action_view(), action_view(LABEL, position=2), action_view(position=3)]
    view = blocks.edit_amount_modal(card(actions=each))

    assert set(inputs(view)) == {amount_field(1, "CAD"), amount_field(3, "CAD")}
    assert inputs(view)[amount_field(1, "CAD")]["initial_value"] == "119.00"
    assert_view_fits(view)


def test_settling_asks_about_the_one_that_is_unknown() -> None:
    each = [
        action_view(operation=operation(OperationState.DONE)),
        action_view(LABEL, position=2, operation=operation(OperationState.UNKNOWN, LABEL)),
    ]
    view = blocks.settle_modal(card(ProposalState.UNKNOWN, actions=each))

    assert set(inputs(view)) == {Field.OUTCOME, Field.REASON}
    assert "2. *Return label*" in shown_in(view)
    assert_view_fits(view)


@pytest.mark.parametrize(
    "state", [state for state in ProposalState if state is not ProposalState.DONE]
)
def test_copying_warns_while_a_proposal_is_not_done(state: ProposalState) -> None:
    proposal = DraftProposal(proposal_id="P-7KM-4XQ", state=state)
    view = blocks.copy_modal(
        CopyView(run_id="run-1", ticket_id="T-1", text="Hello", proposals=(proposal,))
    )

    assert view["blocks"][0]["type"] == "section"
    assert "`P-7KM-4XQ`" in view["blocks"][0]["text"]["text"]
    assert "may promise what has not happened" in shown_in(view)
    assert_view_fits(view)


def test_copying_does_not_warn_once_it_is_done() -> None:
    proposal = DraftProposal(proposal_id="P-7KM-4XQ", state=ProposalState.DONE)
    view = blocks.copy_modal(
        CopyView(run_id="run-1", ticket_id="T-1", text="Hello", proposals=(proposal,))
    )

    assert "\u26a0" not in shown_in(view)


def test_the_text_to_copy_is_exactly_the_text_in_as_many_inputs_as_it_needs() -> None:
    text = "Tom & <Jerry> *x*\n" * 400
    view = blocks.copy_modal(CopyView(run_id="run-1", ticket_id="T-1", text=text))
    found = [each["initial_value"] for each in inputs(view).values()]

    assert len(found) == 3
    assert "".join(found) == text
    assert_view_fits(view)


def test_editing_a_draft_starts_with_its_text_and_comes_back_in_order() -> None:
    view = blocks.edit_draft_modal(DRAFT)

    assert inputs(view)["text-1"]["initial_value"] == DRAFT.reply
    assert read_run_ref(view["private_metadata"]) == RunRef(run_id="run-1")
    assert_view_fits(view)


def test_a_held_back_draft_stands_below_what_the_gate_said() -> None:
    view = blocks.held_back_modal(STOP, "We refunded <!channel> you.")

    assert "A gate objected" in view["blocks"][0]["text"]["text"]
    assert "&lt;!channel&gt;" in shown_in(view)
    assert_view_fits(view)


def test_the_forms_of_a_ticket_carry_its_message() -> None:
    for view in (blocks.give_customer_modal(TICKET, "T-1"), blocks.triage_modal(TICKET)):
        assert read_ticket_ref(view["private_metadata"]) == TICKET
        assert Field.CUSTOMER in inputs(view)
        assert_view_fits(view)


def test_the_other_forms_fit() -> None:
    for view in (
        blocks.skeleton_modal(),
        blocks.told_modal("Too late", "It was decided."),
        blocks.ask_again_modal("run-1"),
    ):
        assert_view_fits(view)


def test_what_was_typed_comes_back_by_field() -> None:
    state = {
        "values": {
            "reason": {"reason": {"type": "plain_text_input", "value": "No photo"}},
            "outcome": {"outcome": {"selected_option": {"value": "done"}}},
            "text": {"text": {"type": "plain_text_input", "value": None}},
        }
    }

    assert submitted({"state": state}) == {"reason": "No photo", "outcome": "done"}


@pytest.mark.parametrize("value", ["", "{", "[]", '{"p": 1, "v": 1}', '{"p": "P", "v": "1"}', "9"])
def test_a_value_that_is_not_ours_is_none(value: str) -> None:
    assert read_proposal_ref(value) is None
    assert read_run_ref(value) is None
    assert read_ticket_ref(value) is None
    assert read_letter_ref(value) is None


WAITING = WaitingLine(
    facts=card().facts,
    link="https://x.slack.com/archives/C1/p1",
)
RUN = RunLine(
    run_id="run-1",
    ticket_id="T-80008",
    result=Result.FAILED,
    stop=StopReason.TIME,
    at_us=AT_US,
    link="https://x.slack.com/archives/C1/p1",
)
HOME = HomeView(
    role="team_lead",
    operator=True,
    waiting=(WAITING,),
    runs=(RUN,),
    stops={StopReason.FINISHED: 4, StopReason.TIME: 1},
    health=(HealthLine(name="socket", well=False, words="Nothing came for 5 minutes."),),
)


def test_home_shows_what_waits_for_this_person_and_how_it_goes() -> None:
    view = blocks.home_view(HOME)
    seen = shown_in(view)

    for part in (
        "Your role: team_lead",
        "Waiting for you (1)",
        "`P-7KM-4XQ`",
        "failed, the time that is allowed was used up",
        "finished 4, time 1",
        "\u2717 *socket* Nothing came for 5 minutes.",
    ):
        assert part in seen
    assert ActionId.PAUSE in buttons(view)
    assert_view_fits(view)


def test_home_states_what_the_reader_may_sign_as_the_card_does_with_its_buttons() -> None:
    facts = card(actions=[action_view(marks=(mark(),)), action_view(LABEL)]).facts
    view = blocks.home_view(HomeView(role="agent", waiting=(replace(WAITING, facts=facts),)))

    seen, found = shown_in(view), buttons(view)

    for part in ("*Refund 119.00 CAD*", "*Return label*", "`T-80008`", "`C-81265`", "Rule `W5`"):
        assert part in seen
    assert "already carried out" in seen
    assert found[ActionId.APPROVE]["confirm"]["title"]["text"] == "A second one?"
    assert found[ActionId.REJECT]["value"] == found[ActionId.APPROVE]["value"].replace(',"s":1', "")
    assert ActionId.EDIT_AMOUNT not in found
    assert '"text": "Look at the thread"' in json.dumps(view)
    assert_view_fits(view)


def test_home_asks_nothing_before_an_approval_that_moves_no_money() -> None:
    facts = card(actions=[action_view(LABEL)]).facts
    view = blocks.home_view(HomeView(role="agent", waiting=(replace(WAITING, facts=facts),)))

    assert "confirm" not in buttons(view)[ActionId.APPROVE]


def test_home_of_somebody_without_a_role_has_no_switch_and_nothing_waiting() -> None:
    other = HomeView(waiting=(replace(WAITING, mine=False),))
    view = blocks.home_view(other)

    assert "No role in approvals." in shown_in(view)
    assert "Waiting for you (0)" in shown_in(view)
    assert buttons(view) == {}
    assert_view_fits(view)


@pytest.mark.parametrize(("count", "more"), [(9, None), (10, None), (11, "and 1 more")])
def test_home_of_an_operator_names_at_most_ten_dead_letters_each_with_its_buttons(
    count: int, more: str | None
) -> None:
    found = tuple(
        Letter(kind=LetterKind.POST, number=each, what="chat.postMessage", why="msg_too_long")
        for each in range(count)
    )
    view = blocks.home_view(HomeView(operator=True, letters=found, letter_count=count))
    seen, pressed = shown_in(view), buttons_of(view, ActionId.DISCARD_LETTER)

    assert f"Given up ({count})" in seen
    assert "`post-0` Not taken by Slack: chat.postMessage\nWhy: msg_too_long" in seen
    assert ("more, which come up here" in seen) is (more is not None)
    assert (more or "Given up") in seen
    assert len(buttons_of(view, ActionId.RETRY_LETTER)) == len(pressed) == min(count, 10)
    assert all("confirm" in each for each in pressed)
    assert read_letter_ref(pressed[0]["value"]) == LetterRef(letter_id="post-0")
    assert_view_fits(view)


def test_home_says_nothing_of_dead_letters_where_there_are_none() -> None:
    assert "Given up" not in shown_in(blocks.home_view(HomeView(operator=True)))


def buttons_of(view: dict[str, Any], action: ActionId) -> list[dict[str, Any]]:
    """Return every button of one action, in order."""
    rows = [block["elements"] for block in view["blocks"] if block["type"] == "actions"]
    return [each for row in rows for each in row if each["action_id"] == action]


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of a slotted dataclass."""
    return {name: getattr(value, name) for name in value.__slots__}


def test_a_pause_is_shown_and_can_be_ended() -> None:
    view = blocks.home_view(HomeView(operator=True, paused_by=("U0ANN", "stock <!here>")))

    assert "*Paused* by <@U0ANN>: stock &lt;!here&gt;. Tickets" in shown_in(view)
    assert set(buttons(view)) == {ActionId.RESUME}


def test_the_status_names_what_is_not_well() -> None:
    assert blocks.status_report(HOME).text == "Not well: socket"
    assert blocks.status_report(HomeView()).text == "All is well"
    assert_fits(blocks.status_report(HOME))
    assert_fits(blocks.status_report(HomeView()))


def test_the_status_of_a_paused_bot_says_so_in_its_notification_too() -> None:
    paused = ("U0LEA", "stock")

    assert blocks.status_report(HomeView(paused_by=paused)).text == "Paused"
    assert blocks.status_report(replace(HOME, paused_by=paused)).text == "Paused. Not well: socket"


@pytest.mark.parametrize("count", [0, 1, 15, 16, 500])
def test_a_list_of_any_length_fits(count: int) -> None:
    message = blocks.waiting_list([WAITING] * count, count)
    more = f"and {count - 15} more" in shown(message)

    assert more is (count > 15)
    assert_fits(message)
    assert_view_fits(blocks.home_view(HomeView(waiting=(WAITING,) * count, runs=(RUN,) * count)))


def test_what_is_not_looked_at_closely_is_counted_all_the_same() -> None:
    lines = (replace(WAITING, mine=True),) * 3
    view = blocks.home_view(HomeView(waiting=lines, waiting_count=250))
    message = blocks.waiting_list(lines, 250)

    assert "Waiting for you (3 of the oldest 3; 250 wait)" in shown_in(view)
    assert message.text == "250 proposals waiting"
    assert "and 235 more" in shown(message)


def test_the_digest_has_the_head_of_the_audit() -> None:
    digest = DigestView(
        day="2026-10-09",
        tickets=12,
        drafts=9,
        rejected_drafts=1,
        stops={StopReason.TIME: 2},
        proposals={ProposalState.DONE: 3, ProposalState.REJECTED: 0},
        refunded=(Money(30_000, "CAD"), Money(500, "EUR")),
        cost="US$0.10000",
        waiting=1,
        dead_letters=1,
        audit=AuditHead(count=42, hash="a" * 64),
    )
    message = blocks.digest_message(digest)

    for part in ("12 tickets, 9 drafts", "done 3", "*300.00 CAD, 5.00 EUR*", "1 dead letter"):
        assert part in shown(message)
    assert f"42 rows, head `{'a' * 64}`" in shown(message)
    assert "rejected" not in shown(message)
    assert_fits(message)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            AlreadyDecided("P-7KM-4XQ", ProposalState.DONE, "U0LEAD", AT_US),
            f"`P-7KM-4XQ` is done (<@U0LEAD>, <!date^{AT_US // 1_000_000}^",
        ),
        (NotAllowed(Refusal.NO_ROLE, "U0ANN has no role"), "You have no role"),
        (NotAllowed(Refusal.REQUESTER, "U0ANN asked for this"), "You asked for this"),
        (NotAllowed(Refusal.ALREADY_SIGNED, "U0ANN has signed"), "You have signed already"),
        (
            NotAllowed(Refusal.OVER_LIMIT, "this is over <your> limit"),
            "This is over &lt;your&gt; limit.",
        ),
        (NotAllowed(Refusal.NOT_A_MEMBER, "only members decide"), "Only members decide."),
    ],
)
def test_a_refusal_is_never_silent(error: Any, words: str) -> None:
    message = blocks.refusal(error)

    assert words in shown(message)
    assert words in message.text
    assert_fits(message)


@pytest.mark.parametrize(
    "error", [ProposalUnknown("P-7KM-4XQ"), OperationUnknown("P-7KM-4XQ-1"), LookUpsDue(3)]
)
def test_a_refusal_names_no_command_of_a_shell(error: ApprovalsError) -> None:
    assert re.search(r"(?<!/)handrail \w", str(error))  # its own next step is one
    assert not re.search(r"(?<!/)handrail \w", shown(blocks.refusal(error)))


def test_what_home_lists_names_no_command_of_a_shell() -> None:
    many = HomeView(
        waiting=(WAITING,) * 50, health=(HealthLine(name="Posts", well=False, words=""),)
    )
    seen = shown_in(blocks.home_view(many)) + shown(blocks.waiting_list(many.waiting, 50))

    assert "more, which come up here" in seen
    assert not re.search(r"(?<!/)handrail \w", seen + home.posts_words(1, 1, ["no_text"]))


def test_a_form_can_be_told_of_every_name_at_once() -> None:
    assert set(modals.__all__) <= set(blocks.__all__)


def test_case_56_a_call_to_everybody_is_escaped_in_text_header_context_and_form() -> None:
    title = "<!here> T-1"
    told = replace(DRAFT, ticket_id=title, team=title, run_id="r")
    (message,) = blocks.draft_messages(told)
    seen = {kind: str([b for b in message.blocks if b["type"] == kind]) for kind in TEXT_BLOCKS}

    for place in (message.text, *seen.values()):
        assert "&lt;!here&gt;" in place
    form = blocks.give_customer_modal(TICKET, title)
    assert "&lt;!here&gt;" in shown_in(form)
    assert "<!here>" not in message.text + shown(message) + shown_in(form)


@given(text=ANY, word=ANY)
def test_no_text_makes_a_form_or_a_page_too_large_or_calls_anybody(text: str, word: str) -> None:
    unknown = [action_view(operation=operation(OperationState.UNKNOWN, error_words=text))]
    shown_card = card(ProposalState.UNKNOWN, actions=unknown, row={"ticket_id": text})
    proposal = DraftProposal(proposal_id=word, state=ProposalState.FAILED, settled=(text,))
    waiting = card(
        actions=[action_view(marks=(mark(ticket_id=text, approved_by=text),) * 3)] * 4,
        row={"ticket_id": text, "customer_id": word, "rule": text},
        facts={"needed_role": word},
    )
    line = WaitingLine(facts=waiting.facts, link="https://x.slack.com/archives/C1/p1")
    run = RunLine(**{**fields_of(RUN), "ticket_id": text})
    health = HealthLine(name=word, well=False, words=text)
    for view in (
        blocks.reject_modal(shown_card),
        blocks.edit_amount_modal(shown_card),
        blocks.settle_modal(shown_card),
        blocks.copy_modal(
            CopyView(run_id="r", ticket_id=word, text=text, proposals=(proposal,) * 4)
        ),
        blocks.held_back_modal(STOP, text),
        blocks.give_customer_modal(TICKET, text),
        blocks.home_view(
            HomeView(waiting=(line,) * 30, runs=(run,) * 30, health=(health,) * 30, role=word)
        ),
    ):
        assert_view_fits(view)
        assert_calls_nobody(shown_in(view))
    for message in (
        blocks.waiting_list([line] * 30, 30),
        blocks.status_report(HomeView(health=(health,) * 30)),
    ):
        assert_fits(message)
        assert_calls_nobody(message.text + shown(message))


def assert_calls_nobody(text: str) -> None:
    """Check that the only tokens are dates and the links of the bot's own messages."""
    tokens = text.count("<!date^") + text.count("<https://x.slack.com/archives/C1/p1|open>")
    assert text.count("<") == tokens
    assert "@here" not in text
