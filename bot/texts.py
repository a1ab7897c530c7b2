"""Every sentence of the command line for people, in one file.

What comes in from a ticket, a model or a tool goes through :func:`safe` or :func:`shortened`
before it is shown: no escape sequence, no reversed direction.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Final, assert_never

from bot.action_words import label_reason, refund_reason, refund_target
from loop import Outcome, Price, Stop, StopReason
from tools import (
    Action,
    CreateReturnLabel,
    RequestRefund,
    ReshipItem,
    clean_text,
)

__all__ = [
    "A_PERSON",
    "OBJECTED",
    "UNFINISHED",
    "WAITS",
    "action_text",
    "at_least",
    "cost_text",
    "counted",
    "next_step",
    "outcome_text",
    "price_text",
    "reason_text",
    "resume_step",
    "safe",
    "seconds_text",
    "shortened",
    "stop_text",
    "tokens_text",
    "unused_text",
]

A_PERSON: Final = "A person takes the ticket."
OBJECTED: Final = f"A gate objected, so the answer is not used. {A_PERSON}"
UNFINISHED: Final = "This run has not ended."
WAITS: Final = "for a person to decide; the run changed nothing"
_FIVE_DECIMALS: Final = Decimal("0.00001")


def safe(text: str) -> str:
    """Return text from outside without anything that could act on a terminal; lines are kept."""
    return clean_text(text).replace("\t", "    ")


def shortened(text: str, most: int) -> str:
    """Return text from outside on one line of at most ``most`` characters."""
    line = " ".join(clean_text(text[: 4 * most]).split())
    cut = len(line) > most or len(text) > 4 * most
    return f"{line[: most - 1].rstrip()}…" if cut else line


def counted(count: int, one: str) -> str:
    """Return a count with its word: ``1 call``, ``2 calls``."""
    return f"{count} {one if count == 1 else f'{one}s'}"


def outcome_text(outcome: Outcome) -> str:
    """What the model decided."""
    match outcome:
        case Outcome.RESOLVE:
            return "solve it with what is proposed below"
        case Outcome.REPLY_ONLY:
            return "answer the customer, nothing to change"
        case Outcome.ASK_CUSTOMER:
            return "ask the customer for what is missing"
        case Outcome.HAND_TO_PERSON:
            return "hand the ticket to a person"
        case _:
            assert_never(outcome)


def reason_text(reason: StopReason) -> str:
    """Why a run ended, in words."""
    match reason:
        case StopReason.FINISHED:
            return "the model gave its answer"
        case StopReason.MAX_STEPS:
            return "all model calls that are allowed were used"
        case StopReason.TIME:
            return "the time that is allowed was used up"
        case StopReason.COST:
            return "the money that is allowed was used up"
        case StopReason.REPEATED_CALL:
            return "the model asked for the same call again"
        case StopReason.TOO_MANY_ERRORS:
            return "too many errors came in a row"
        case StopReason.NO_RECORDING:
            return "no recorded reply fits the request"
        case StopReason.PROVIDER_ERROR:
            return "the model's provider gave no reply"
        case StopReason.CANCELLED:
            return "the run was cancelled"
        case _:
            assert_never(reason)


def stop_text(stop: Stop, *, cause: bool = True) -> str:
    """How a run ended: the reason, the limit with its value, what was observed, what else.

    ``cause`` False leaves out what happened, where that was said before.
    """
    parts = [f"{stop.reason} at step {stop.step}: {reason_text(stop.reason)}"]
    if stop.limit is not None:
        parts.append(f"limit {stop.limit} is {stop.limit_value or 'none'}")
    if stop.observed is not None:
        parts.append(f"observed {safe(stop.observed)}")
    if stop.also:
        parts.append(f"also reached: {', '.join(stop.also)}")
    if cause and stop.cause is not None:
        parts.append(shortened(stop.cause, 400))
    return "; ".join(parts)


def resume_step(run_id: str) -> str:
    """The command that goes on with a run that has no end."""
    return f"next: handrail resume {run_id}"


def unused_text(left_over: int) -> str:
    """The note on replies that a stopped run did not ask for."""
    were = "was" if left_over == 1 else "were"
    replies = "reply" if left_over == 1 else "replies"
    return f"{left_over} recorded {replies} {were} not asked for: the run stopped before."


def next_step(run_id: str, *, stored: bool) -> str:
    """The command to type next, or an empty text where no run was kept."""
    return f"next: handrail trace {run_id}" if stored else ""


def action_text(action: Action) -> str:
    """One proposed change, exactly: what, on which order, of what, how much, why."""
    match action:
        case RequestRefund():
            target, why = refund_target(action, safe), refund_reason(action.reason_code)
            order = safe(action.order_id)
            return f"Refund {action.money} on order {order}, {target} ({action.reason_code}: {why})"
        case ReshipItem():
            items = f"{action.quantity} of {safe(action.sku)}"
            return f"Send {items} from order {safe(action.order_id)} again, at no cost"
        case CreateReturnLabel():
            return (
                f"Return label for {safe(action.sku)} of order {safe(action.order_id)} "
                f"({action.reason}: {label_reason(action.reason)})"
            )
        case _:
            assert_never(action)


def tokens_text(tokens_in: int | None, tokens_out: int | None) -> str:
    """Tokens in and out; a count that is not known is said to be unknown."""
    first, second = (
        "unknown" if count is None else str(count) for count in (tokens_in, tokens_out)
    )
    return f"{first} tokens in, {second} out"


def cost_text(usd: Decimal) -> str:
    """An amount of US dollars with five decimals, rounded half up."""
    return f"US${usd.quantize(_FIVE_DECIMALS, ROUND_HALF_UP):f}"


def price_text(price: Price | None, source: str) -> str:
    """What a model costs, and who says so; None is a price that the source alone knows."""
    if price is None:
        return source
    cached = "" if price.usd_cached_in is None else f", {price.usd_cached_in} USD cached in"
    per = f"{price.usd_in} USD in, {price.usd_out} USD out{cached}, per million tokens"
    return f"{per}, by {source}" if price.usd_in or price.usd_out else f"free of cost, by {source}"


def at_least(usd: Decimal) -> str:
    """A cost of which a part is not known."""
    return f"at least {cost_text(usd)}"


def seconds_text(us: int) -> str:
    """Microseconds as seconds with two decimals."""
    seconds = (Decimal(us) / 1_000_000).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return f"{seconds:f} s"
