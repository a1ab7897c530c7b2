"""What a further run is given: the ticket, and what people said about it in the thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.slack.store.tickets import ReplyRow, TicketRow
from tools import Expected, Ticket, TicketCase

__all__ = ["MAX_HISTORY_CHARS", "case_of", "kept_replies"]

MAX_HISTORY_CHARS: Final = 6_000
"""Of the thread, in characters: about 1,500 tokens. The newest is always kept."""
_HEADING: Final = "What the support team added later, the newest last:"
_LEFT_OUT: Final = "(What was said before that was left out.)"


def case_of(ticket: TicketRow, replies: Sequence[ReplyRow]) -> TicketCase:
    """Return the ticket as a run reads it.

    Raises:
        ValueError: its customer is not known.
    """
    if ticket.customer_id is None:
        raise ValueError(f"the customer of ticket {ticket.ticket_id} is not known")
    text = ticket.text
    if replies:
        kept = kept_replies(replies)
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


def kept_replies(
    replies: Sequence[ReplyRow], most: int = MAX_HISTORY_CHARS
) -> tuple[ReplyRow, ...]:
    """Return the newest replies that fit into ``most`` characters together, at least one."""
    kept: list[ReplyRow] = []
    left = most
    for reply in reversed(replies):
        left -= len(reply.text)
        if left < 0 and kept:
            break
        kept.append(reply)
    return tuple(reversed(kept))
