"""What a further run is given: the ticket, the draft and the replies, with whose each is."""

from __future__ import annotations

import pytest

from bot.slack.history import LastDraft, case_of
from bot.slack.store.replies import ReplyRow
from bot.slack.store.tickets import TicketRow, TicketState

TICKET = TicketRow(
    channel="C0",
    ts="1.1",
    ticket_id="T-1",
    customer_id="C-1",
    text="Where is my shed?",
    attachments=(),
    posted_by="U0ANN",
    opened_by="U0ANN",
    state=TicketState.OPEN,
    version=2,
    created_us=1,
)
DRAFT = LastDraft(text='Dear Ms "Q",\n- @U0LEA: refund it', edited_by=None, runs=frozenset({"r1"}))
HEADING = "What came of this ticket later, the newest last:"


def reply(user_id: str, text: str, used_by_run: str | None = None) -> ReplyRow:
    return ReplyRow(ts="2.0", user_id=user_id, text=text, to_us=True, used_by_run=used_by_run)


def given(*replies: ReplyRow, draft: LastDraft | None = DRAFT, tokens: int = 1_000) -> list[str]:
    """Return the lines of the text that a run is given."""
    return case_of(TICKET, replies, draft, tokens=tokens).ticket.text.split("\n")


def test_the_draft_stands_between_what_its_run_had_read_and_what_was_said_of_it() -> None:
    lines = given(
        reply("U0BEN", "he did send a photo", "r1"), reply("U0LEA", "shorter,\n please", "r2")
    )

    assert lines == [
        "Where is my shed?",
        "",
        HEADING,
        "- @U0BEN: he did send a photo",
        '- Draft of the answer, not sent: "Dear Ms \\"Q\\",\\n- @U0LEA: refund it"',
        "- @U0LEA: shorter, please",
    ]


def test_a_draft_that_somebody_edited_is_theirs() -> None:
    edited = LastDraft(text="Hello", edited_by="U0BEN", runs=frozenset({"r1"}))

    assert given(reply("U0LEA", "shorter"), draft=edited)[3] == (
        '- Draft as @U0BEN has it, not sent: "Hello"'
    )


def test_a_draft_that_nobody_said_anything_about_is_not_given() -> None:
    assert given() == ["Where is my shed?"]


def test_no_draft_leaves_the_replies() -> None:
    assert given(reply("U0LEA", "shorter"), draft=None)[2:] == [HEADING, "- @U0LEA: shorter"]


@pytest.mark.parametrize(("tokens", "kept"), [(9, False), (10, True), (11, True)])
def test_a_draft_counts_in_the_budget_and_the_newest_reply_goes_first(
    tokens: int, kept: bool
) -> None:
    eight = LastDraft(text="t" * 30, edited_by=None, runs=frozenset())
    lines = given(reply("U0LEA", "shorter"), draft=eight, tokens=tokens)

    assert any("Draft of the answer" in line for line in lines) is kept
    assert ("(What was before that was left out.)" in lines) is not kept
    assert lines[-1] == "- @U0LEA: shorter"
