"""What a further run is given: the ticket, and what people said about it in the thread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from bot.slack.store.replies import ReplyRow
from bot.slack.store.tickets import TicketRow
from tools import Expected, Ticket, TicketCase

__all__ = ["case_of", "estimated_tokens", "kept_replies"]

_ASCII_A_TOKEN: Final = 4
"""Characters of English to a token (reference facts A10; OpenAI's help pages say the same)."""
_BYTES_A_TOKEN: Final = 2
"""UTF-8 bytes of anything else to a token: ours. A byte-level tokenizer makes at most one token of
each byte and often fewer, so this lies between; an accent counts for one, an emoji for two."""
_HEADING: Final = "What the support team added later, the newest last:"
_LEFT_OUT: Final = "(What was said before that was left out.)"


def case_of(ticket: TicketRow, replies: Sequence[ReplyRow], *, tokens: int) -> TicketCase:
    """Return the ticket as a run reads it, with what was said in at most so many ``tokens``.

    The ticket's own text is always given whole.

    Raises:
        ValueError: its customer is not known.
    """
    if ticket.customer_id is None:
        raise ValueError(f"the customer of ticket {ticket.ticket_id} is not known")
    text = ticket.text
    if replies:
        kept = kept_replies(replies, tokens)
        left_out = [_LEFT_OUT] if len(kept) < len(replies) else []
        said = [f"- {' '.join(reply.text.split())}" for reply in kept]
        text = "\n".join([text, "", _HEADING, *left_out, *said])
    return TicketCase(
        ticket=Ticket.of(
            ticket_id=ticket.ticket_id,
            customer_id=ticket.customer_id,
            text=text,
            attachments=ticket.attachments,
        ),
        expected=Expected(),
    )


def kept_replies(replies: Sequence[ReplyRow], most: int) -> tuple[ReplyRow, ...]:
    """Return the newest replies that fit into ``most`` tokens together, at least one."""
    kept: list[ReplyRow] = []
    left = most
    for reply in reversed(replies):
        left -= estimated_tokens(reply.text)
        if left < 0 and kept:
            break
        kept.append(reply)
    return tuple(reversed(kept))


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text is, for any model, at least one.

    No tokenizer is asked: each model has its own, and those of hosted models are not published.
    """
    ascii_chars = sum(char.isascii() for char in text)
    other_bytes = len(text.encode("utf-8", "replace")) - ascii_chars
    return max(1, math.ceil(ascii_chars / _ASCII_A_TOKEN + other_bytes / _BYTES_A_TOKEN))
