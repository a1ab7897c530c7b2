"""Which errors are answers to whoever typed a command, with what status, and what helps next."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from approvals import (
    ApprovalsError,
    LockHeld,
    OperationUnknown,
    PolicyRefused,
    ProposalUnknown,
    SecondNeeded,
    StoreUnusable,
)
from bot.errors import BotError
from loop import LoopError
from recordings import RecordingsError, RecordingUnused
from tools import ShopError, ToolsError

__all__ = ["Said", "said_of"]

_OURS: Final = (ApprovalsError, BotError, LoopError, RecordingsError, ToolsError)
"""Each package's tree."""
_MISUSED: Final = (OperationUnknown, PolicyRefused, ProposalUnknown, StoreUnusable)
"""Of the approvals' errors, those that say that something else was meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One line for stderr, a hint or an empty text, and the exit status."""

    message: str
    hint: str = ""
    status: int = 2


def said_of(error: Exception) -> Said | None:
    """Return what to say; None for a fault of the program, which keeps its traceback."""
    match error:
        case RecordingUnused():
            return Said(message=str(error), status=1)
        case OSError():
            return Said(message=_system_text(error))
        case _ if isinstance(error, _OURS):
            return Said(message=str(error), hint=_hint(error), status=_status(error))
        case _:
            return None


def _system_text(error: OSError) -> str:
    """Say what the system refused. Only what has a name was opened: the rest is our own output."""
    reason = error.strerror or type(error).__name__
    if error.filename is None:
        return f"the output cannot be written: {reason}"
    return f"{os.fsdecode(error.filename)}: {reason}"


def _status(error: Exception) -> int:
    """Return 1 for what is refused, 2 for what was asked for in a wrong way."""
    refused = isinstance(error, ApprovalsError | ShopError) and not isinstance(error, _MISUSED)
    return 1 if refused else 2


def _hint(error: Exception) -> str:
    match error:
        case SecondNeeded():
            return "--second says yes to a second one"
        case LockHeld():
            return "handrail proposals, reconcile and audit work beside a server"
        case ShopError():
            return "the shop is the one of the table [shop] in the settings"
        case _:
            return str(getattr(error, "hint", ""))
