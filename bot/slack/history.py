"""What a further run is given: the ticket, what people said in its thread, and the last draft."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.slack.store.replies import ReplyRow
from bot.slack.store.tickets import TicketRow
from tools import Expected, Ticket, TicketCase

__all__ = ["LastDraft", "Turn", "case_of", "estimated_tokens", "kept_turns", "turns_of"]

_ASCII_A_TOKEN: Final = 4
"""Characters of English to a token (reference facts A10; OpenAI's help pages say the same)."""
_BYTES_A_TOKEN: Final = 2
"""UTF-8 bytes of anything else to a token: ours. A byte-level tokenizer makes at most one token of
each byte and often fewer, so this lies between; an accent counts for one, an emoji for two."""
_HEADING: Final = "What came of this ticket later, the newest last:"
_LEFT_OUT: Final = "(What was before that was left out.)"


@dataclass(frozen=True, slots=True, kw_only=True)
class LastDraft:
    """The answer that a thread shows: of its newest run that has one.

    ``edited_by``: whose text it is; None for the model's. ``runs`` are the ids of that run and of
    those before it: what they read was said before the draft was there.
    """

    text: str
    edited_by: str | None
    runs: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing that was said or drafted, on one line, with who it is of."""

    who: str
    text: str


def turns_of(replies: Sequence[ReplyRow], draft: LastDraft | None) -> tuple[Turn, ...]:
    """Return what was said in a thread and the draft among it, the oldest first.

    The draft is quoted, so that no line of it reads as another turn.
    """
    if draft is None:
        return tuple(map(_said, replies))
    of = "Draft of the answer" if draft.edited_by is None else f"Draft as @{draft.edited_by} has it"
    shown = Turn(who=f"{of}, not sent", text=json.dumps(draft.text, ensure_ascii=False))
    before = [each for each in replies if each.used_by_run in draft.runs]
    after = [each for each in replies if each.used_by_run not in draft.runs]
    return (*map(_said, before), shown, *map(_said, after))


def case_of(
    ticket: TicketRow, replies: Sequence[ReplyRow], draft: LastDraft | None = None, *, tokens: int
) -> TicketCase:
    """Return the ticket as a run reads it, with what came of it in at most so many ``tokens``.

    The ticket's own text is always given whole. Where nobody said anything there is nothing to
    change in the draft, and it is not given.

    Raises:
        ValueError: its customer is not known.
    """
    if ticket.customer_id is None:
        raise ValueError(f"the customer of ticket {ticket.ticket_id} is not known")
    text = ticket.text
    if replies:
        turns = turns_of(replies, draft)
        kept = kept_turns(turns, tokens)
        left_out = [_LEFT_OUT] if len(kept) < len(turns) else []
        lines = [f"- {turn.who}: {turn.text}" for turn in kept]
        text = "\n".join([text, "", _HEADING, *left_out, *lines])
    return TicketCase(
        ticket=Ticket.of(
            ticket_id=ticket.ticket_id,
            customer_id=ticket.customer_id,
            text=text,
            attachments=ticket.attachments,
        ),
        expected=Expected(),
    )


def kept_turns(turns: Sequence[Turn], most: int) -> tuple[Turn, ...]:
    """Return the newest turns that fit into ``most`` tokens together, at least one."""
    kept: list[Turn] = []
    left = most
    for turn in reversed(turns):
        left -= estimated_tokens(turn.text)
        if left < 0 and kept:
            break
        kept.append(turn)
    return tuple(reversed(kept))


def _said(reply: ReplyRow) -> Turn:
    return Turn(who=f"@{reply.user_id}", text=" ".join(reply.text.split()))


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text is, for any model, at least one.

    No tokenizer is asked: each model has its own, and those of hosted models are not published.
    """
    ascii_chars = sum(char.isascii() for char in text)
    other_bytes = len(text.encode("utf-8", "replace")) - ascii_chars
    return max(1, math.ceil(ascii_chars / _ASCII_A_TOKEN + other_bytes / _BYTES_A_TOKEN))
