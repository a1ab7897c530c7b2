"""What a journal holds: one frozen record per event of a run, in the order of events.

A record is a value; ``recordings`` writes it as one JSON line and reads it back. Records carry
what the model saw: text is redacted before it gets here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from loop.attempts import Attempt
from loop.messages import Message, RequestHead
from loop.model import MOST_TOKENS, Reply
from loop.rules import Stop
from tools import Kind, OrderFact

__all__ = [
    "MAX_TOTAL",
    "Asked",
    "Called",
    "Cancelled",
    "Cause",
    "Checked",
    "Closed",
    "Entry",
    "Failed",
    "LostAttempt",
    "Opened",
    "Record",
    "Replied",
    "Stopped",
]

MAX_TOTAL: Final = 1000 * MOST_TOKENS
"""Most tokens, microseconds or US dollars of one run: a figure beyond that is a damaged one."""

Cause = Literal["provider_error", "budget_cut", "cancelled", "no_recording"]
"""Why a model gave no reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The run began. ``settings`` holds profile, limits and all else that shaped it."""

    ticket_id: str
    customer_id: str
    text: str
    attachments: tuple[str, ...]
    profile: str
    today: str
    head: RequestHead
    limits: Mapping[str, Any]
    marks: Mapping[str, Any]
    """What is said of the run as a whole, such as ``{"constructed": true}``; of a run that was
    made elsewhere, its source, its label and what is unknown (``recordings.origin``)."""
    kind: Literal["opened"] = "opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request is about to be sent: its digest, and the messages appended since the last."""

    step: int
    digest: str
    appended: tuple[Message, ...]
    kind: Literal["asked"] = "asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class LostAttempt:
    """A request was in flight when the process died; what it cost is unknown."""

    step: int
    kind: Literal["lost_attempt"] = "lost_attempt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """A reply arrived. Written before it is judged."""

    step: int
    reply: Reply
    kind: Literal["replied"] = "replied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A model gave no reply: ``cause`` says of what kind the reason is."""

    step: int
    cause: Cause
    message: str
    status: int | None
    wait_s: float | None
    latency_us: int | None
    """None is unknown, as it is of a reply."""
    attempts: tuple[Attempt, ...] = ()
    """Every try that was made, in order."""
    kind: Literal["failed"] = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A call was answered. ``text`` is what the model sees, after redaction and cut."""

    step: int
    index: int
    call_id: str
    name: str
    result: Kind | None
    """None is unknown: a recording made elsewhere may hold an answer and not say what it was."""
    code: str
    text: str
    cut: bool
    copy_of: int | None
    """Index of the call in the same reply whose result this one was given."""
    orders: tuple[OrderFact, ...]
    action: Mapping[str, Any] | None
    kind: Literal["called"] = "called"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A read-only question to the shop outside any call, and its answer."""

    question: str
    subject: str
    answer: bool
    kind: Literal["checked"] = "checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """A person pressed Stop, the ticket was deleted, or a newer message came."""

    step: int
    cause: str
    kind: Literal["cancelled"] = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The loop ended."""

    stop: Stop
    kind: Literal["stopped"] = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """The last record: what the run came to. Written with the commit that ends the run."""

    result: str
    resolution: Mapping[str, Any] | None
    problems: tuple[Mapping[str, str], ...]
    steps: int
    calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: Decimal | None
    """The sum of what is known."""
    cost_complete: bool
    """False when some of the cost is unknown or not recorded, or a try was lost or broke off."""
    seconds_us: int
    kind: Literal["closed"] = "closed"

    def __post_init__(self) -> None:
        counts = (self.steps, self.calls, self.tokens_in, self.tokens_out, self.seconds_us)
        if not all(count is None or 0 <= count <= MAX_TOTAL for count in counts):
            raise ValueError(f"a total is a whole number from 0 to {MAX_TOTAL}")
        usd = self.cost_usd
        if usd is not None and not (usd.is_finite() and 0 <= usd <= MAX_TOTAL):
            raise ValueError(f"a total cost is an amount from 0 to {MAX_TOTAL}")


Record = (
    Opened
    | Asked
    | LostAttempt
    | Replied
    | Failed
    | Called
    | Checked
    | Cancelled
    | Stopped
    | Closed
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A record with its place in the journal and the run's own time."""

    seq: int
    at_us: int
    """Microseconds of this run's active time, downtime excluded."""
    record: Record
