"""What each thing that people do with a run says of its worth (``docs/evaluation.md``)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import assert_never

__all__ = ["Sign", "Worth", "bearing_signs", "worth_of"]


class Sign(StrEnum):
    """Something that somebody did with a run, with its answer, or with what it proposed."""

    HELPFUL = "helpful"
    NOT_HELPFUL = "not_helpful"
    APPROVED = "approved"
    """Signed as the run proposed it."""
    REJECTED = "rejected"
    """Refused as the run proposed it, and not reopened."""
    AMOUNT_EDITED = "amount_edited"
    DISCARDED = "discarded"
    TAKEN_OVER = "taken_over"
    EDITED = "edited"
    """The text of the draft was."""
    STOPPED = "stopped"
    ASKED_AGAIN = "asked_again"
    RETRIED = "retried"


class Worth(StrEnum):
    """What all of it together says of a run."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CONTRADICTORY = "contradictory"
    """Something speaks for it and something against it: unknown."""
    UNDECIDED = "undecided"
    """Nothing that was done says anything: unknown."""

    @property
    def success(self) -> bool | None:
        """Whether the run did its work; None is unknown."""
        match self:
            case Worth.SUCCEEDED:
                return True
            case Worth.FAILED:
                return False
            case Worth.CONTRADICTORY | Worth.UNDECIDED:
                return None
            case _:
                assert_never(self)


def worth_of(signs: Mapping[Sign, int], *, answered: bool) -> Worth:
    """Return what the signs of a run say together.

    ``answered`` is whether the run came to a valid answer. Numbers do not count: one voice against
    many makes a run contradictory, not good.
    """
    said = {_speaks_for(sign, answered=answered) for sign, count in signs.items() if count}
    match (True in said, False in said):
        case (True, True):
            return Worth.CONTRADICTORY
        case (True, False):
            return Worth.SUCCEEDED
        case (False, True):
            return Worth.FAILED
        case _:
            return Worth.UNDECIDED


def bearing_signs(signs: Mapping[Sign, int], *, answered: bool) -> list[Sign]:
    """Return the signs that say something of the run's worth, in the order of their names here."""
    return [
        sign
        for sign in Sign
        if signs.get(sign) and _speaks_for(sign, answered=answered) is not None
    ]


def _speaks_for(sign: Sign, *, answered: bool) -> bool | None:
    """Return whether a sign speaks for a run; None where it says nothing."""
    match sign:
        case Sign.HELPFUL | Sign.APPROVED:
            return True if answered else None
        case Sign.NOT_HELPFUL | Sign.REJECTED | Sign.AMOUNT_EDITED | Sign.DISCARDED:
            return False
        case Sign.TAKEN_OVER:
            # Who takes over a ticket with a draft may well send the draft; without one there was
            # nothing to send.
            return None if answered else False
        case Sign.EDITED | Sign.STOPPED | Sign.ASKED_AGAIN | Sign.RETRIED:
            return None
        case _:
            assert_never(sign)
