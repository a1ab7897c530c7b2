"""What to do about an operation that is not settled: pure, from what is known alone.

Nothing here calls a shop or reads a store. ``docs/execution.md`` holds the same rules as a table.
The one principle: a write is sent again only where a second one cannot happen, because the shop
honours the key, or because it was proved that there was no first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from tools import GatewayTraits

__all__ = [
    "SECOND_US",
    "Standing",
    "Step",
    "Trouble",
    "growing_wait_us",
    "is_quiet",
    "next_step",
    "send_wait_us",
    "what_stays_open",
]

SECOND_US: Final = 1_000_000


class Trouble(StrEnum):
    """Why an operation is not settled: the code of an operation that waits for its next turn."""

    UNASKED = "unasked"
    """Never sent; the shop could not be asked whether it may be."""
    UNAVAILABLE = "unavailable"
    """The shop did not act, at any attempt so far."""
    TIMEOUT = "timeout"
    """No answer, or none that can be read; it may or may not have happened."""
    IN_FLIGHT = "in_flight"
    """The shop is at work on an earlier call with this key."""
    BROKE = "broke"
    """An answer of 5xx: the call has ended, and may or may not have acted."""
    REFUSED = "refused"
    """A refusal after an earlier attempt whose outcome is not known."""
    INTERRUPTED = "interrupted"
    """Our process ended between the claim and the verdict."""

    @property
    def in_doubt(self) -> bool:
        """Whether the shop may have acted."""
        return self not in (Trouble.UNASKED, Trouble.UNAVAILABLE)


class Step(StrEnum):
    """What to do once a look-up has found nothing."""

    SEND = "send"
    """Nothing has happened: check that the action is still possible, then send."""
    RESEND = "resend"
    """It may have happened, and the key makes a repeat harmless: send without a check, which a
    first call that arrives just now would spoil."""
    LOOK_AGAIN = "look_again"
    """Neither is safe yet: look up again later."""
    ABSENT = "absent"
    """Nothing has happened, and it is not sent any more: failed."""
    GIVE_UP = "give_up"
    """The shop cannot say: unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known of an operation that a look-up did not find.

    Attributes:
        trouble: of the last attempt; None before the first.
        attempts_left: how often it may still be sent.
        key_age_us: since the first attempt.
        silent_us: since the last attempt could last have been on its way.
    """

    trouble: Trouble | None
    attempts_left: int
    key_age_us: int
    silent_us: int


def next_step(traits: GatewayTraits, standing: Standing) -> Step:
    """Return what to do about an operation that a look-up did not find."""
    may_send = standing.attempts_left > 0
    match standing.trouble:
        case None | Trouble.UNASKED | Trouble.UNAVAILABLE:
            return Step.SEND if may_send else Step.ABSENT
        case Trouble.BROKE:
            return _after_failure(traits, standing)
        case Trouble.REFUSED:  # the earlier attempt may still be on its way
            return Step.ABSENT if absence_is_proved(traits, standing) else _wait(traits, standing)
        case Trouble.TIMEOUT | Trouble.IN_FLIGHT:
            repeats = may_send and _key_holds(traits, standing)
            return Step.RESEND if repeats else _wait(traits, standing)
        case Trouble.INTERRUPTED:
            return _after_restart(traits, standing)
        case _:
            assert_never(standing.trouble)


def what_stays_open(traits: GatewayTraits, doubt: Trouble | None, trouble: Trouble) -> Trouble:
    """Return the trouble of an operation whose latest attempt failed behind one in doubt, if any.

    An attempt without an answer may arrive long after a later one was answered. So its doubt stays
    when the later one did not act, and when it failed: except where the shop keeps a failure under
    the key, for then whatever arrives late gets that failure too.
    """
    if doubt is None:
        return trouble
    if trouble is Trouble.BROKE:
        return trouble if _keeps_failures(traits) else doubt
    return trouble if trouble.in_doubt else doubt


def absence_is_proved(traits: GatewayTraits, standing: Standing) -> bool:
    """Whether an empty look-up proves, for good, that nothing happened and nothing will."""
    return traits.absence_provable and is_quiet(traits, standing)


def is_quiet(traits: GatewayTraits, standing: Standing) -> bool:
    """Whether no call can be on its way any more."""
    return standing.silent_us >= traits.settle_s * SECOND_US


def _after_failure(traits: GatewayTraits, standing: Standing) -> Step:
    """The call has ended. A repeat under the key helps only where the shop would act again."""
    may_send = standing.attempts_left > 0
    if traits.absence_provable:
        return Step.SEND if may_send and not _keeps_failures(traits) else Step.ABSENT
    if may_send and traits.retries_failed and _key_holds(traits, standing):
        return Step.RESEND
    return _wait(traits, standing)


def _after_restart(traits: GatewayTraits, standing: Standing) -> Step:
    """It may never have been sent, or may still be on its way."""
    may_send = standing.attempts_left > 0
    if may_send and _key_holds(traits, standing):
        return Step.RESEND
    if not absence_is_proved(traits, standing):
        return _wait(traits, standing)
    # A shop whose key has aged gets no second call, however sure we are: a person may ask anew.
    return Step.SEND if may_send and not traits.honours_keys else Step.ABSENT


def _keeps_failures(traits: GatewayTraits) -> bool:
    """Whether a repeat under the key gets the first failure again, and never acts."""
    return traits.stores_failures and not traits.retries_failed


def _wait(traits: GatewayTraits, standing: Standing) -> Step:
    return Step.GIVE_UP if is_quiet(traits, standing) else Step.LOOK_AGAIN


def _key_holds(traits: GatewayTraits, standing: Standing) -> bool:
    if not traits.honours_keys:
        return False
    lifetime = traits.key_lifetime_s
    return lifetime is None or 0 <= standing.key_age_us < lifetime * SECOND_US


def send_wait_us(waits_s: Sequence[int], attempt: int, asked_s: int | None = None) -> int:
    """Return the wait behind the given attempt, from 1; a longer one that the shop asked for wins.

    The last of the waits is used for all further attempts.
    """
    planned = waits_s[min(attempt, len(waits_s)) - 1] if waits_s else 0
    return max(planned, asked_s or 0) * SECOND_US


def growing_wait_us(elapsed_us: int, *, least_s: int, most_s: int) -> int:
    """Return a wait of half the time that has passed, within bounds: few calls over a long time."""
    return min(max(elapsed_us // 2, least_s * SECOND_US), most_s * SECOND_US)
