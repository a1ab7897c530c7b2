"""A gateway in memory that does what a script says, and counts what it really carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

from tools import (
    Action,
    Gateway,
    GatewayTraits,
    NotFound,
    Receipt,
    ReceiptState,
    ShopBroke,
    ShopBusy,
    ShopConflict,
    ShopDenied,
    ShopError,
    ShopGarbled,
    ShopInvalid,
    ShopMismatch,
    ShopTimeout,
    ShopUnavailable,
    parse_json,
)
from tools.request import write_request


class Does(Enum):
    """What one call of ``send`` meets."""

    ANSWERS = auto()
    LOST_BEFORE = auto()
    LOST_AFTER = auto()
    LATE = auto()
    """No answer, and the write happens only when ``arrive`` is called."""
    BROKE_BEFORE = auto()
    BROKE_AFTER = auto()
    GARBLED_AFTER = auto()
    UNAVAILABLE = auto()
    BUSY = auto()
    CONFLICT = auto()
    DENIED = auto()
    INVALID = auto()
    MISMATCH = auto()
    PENDING = auto()
    FAILED = auto()
    UNCLEAR = auto()
    CRASH = auto()
    """Our process ends before the call."""
    CRASH_AFTER = auto()
    """Our process ends when the write has happened."""


class Crash(BaseException):
    """Our own process ends here."""


_RAISES: dict[Does, Callable[[], BaseException]] = {
    Does.LOST_BEFORE: lambda: ShopTimeout("no answer"),
    Does.LATE: lambda: ShopTimeout("no answer"),
    Does.LOST_AFTER: lambda: ShopTimeout("no answer"),
    Does.BROKE_BEFORE: lambda: ShopBroke("status 500"),
    Does.BROKE_AFTER: lambda: ShopBroke("status 500"),
    Does.GARBLED_AFTER: lambda: ShopGarbled("not JSON"),
    Does.UNAVAILABLE: lambda: ShopUnavailable("no connection"),
    Does.BUSY: lambda: ShopBusy("a pause", retry_after_s=30),
    Does.CONFLICT: lambda: ShopConflict("in flight"),
    Does.DENIED: lambda: ShopDenied("status 403"),
    Does.INVALID: lambda: ShopInvalid("too much", code="too_much"),
    Does.MISMATCH: lambda: ShopMismatch("another body"),
    Does.CRASH: Crash,
    Does.CRASH_AFTER: Crash,
}
_AFTER = {Does.LOST_AFTER, Does.BROKE_AFTER, Does.GARBLED_AFTER, Does.CRASH_AFTER}
_STATES = {
    Does.ANSWERS: ReceiptState.SETTLED,
    Does.PENDING: ReceiptState.PENDING,
    Does.FAILED: ReceiptState.FAILED,
    Does.UNCLEAR: ReceiptState.UNCLEAR,
}


@dataclass
class ShopDouble:
    """A shop with given promises. ``effects`` are the writes that really happened, by key."""

    traits: GatewayTraits
    script: list[Does] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    sent: list[tuple[str, bytes]] = field(default_factory=list)
    look_ups: int = 0
    look_up_errors: list[ShopError | None] = field(default_factory=list)
    states: dict[str, ReceiptState] = field(default_factory=dict)
    late: list[str] = field(default_factory=list)
    kept_failures: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)
    """Keys that are known to a look-up only: sent once more, they are carried out once more."""

    def then(self, *script: Does) -> ShopDouble:
        """Add to the script and return the double; behind its end every call is answered."""
        self.script.extend(script)
        return self

    def prepare(self, action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
        return write_request(action, ticket_id=ticket_id, operation_id=operation_id, key=key)

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:  # noqa: ARG002 (as the protocol)
        self.sent.append((key, request))
        assert parse_json(request.decode())["action"]["tool"] == tool
        does = self.script.pop(0) if self.script else Does.ANSWERS
        if does in _RAISES:
            self._before_raising(does, key)
            error = _RAISES[does]()
            raise error
        if self.traits.honours_keys and key in self.kept_failures:
            raise ShopBroke("status 500, from the first call")
        return self._write(key, _STATES[does])

    def look_up(self, key: str, operation_id: str, action: Action) -> Receipt | None:  # noqa: ARG002 (as the protocol)
        self.look_ups += 1
        error = self.look_up_errors.pop(0) if self.look_up_errors else None
        if error is not None:
            raise error
        return self._receipt(key, repeated=True) if key in self.effects else None

    def poll(self, reference: str, action: Action) -> Receipt:  # noqa: ARG002 (as the protocol)
        for key in self.effects:
            if self._receipt(key, repeated=True).reference == reference:
                return self._receipt(key, repeated=True)
        raise NotFound("no such write")

    def arrive(self) -> None:
        """Let what is late happen."""
        for key in self.late:
            if key not in self.kept_failures:  # or it gets the answer that is kept
                self._write(key, ReceiptState.SETTLED)
        self.late.clear()

    def forget_keys(self) -> None:
        """Forget every key so far, as a shop does whose keys have a lifetime."""
        self.forgotten.update(self.effects)
        self.kept_failures.clear()

    def _before_raising(self, does: Does, key: str) -> None:
        if does in _AFTER:
            self._write(key, ReceiptState.SETTLED)
        if does is Does.LATE:
            self.late.append(key)
        if does is Does.BROKE_BEFORE and self.traits.stores_failures:
            self.kept_failures.add(key)

    def _write(self, key: str, state: ReceiptState) -> Receipt:
        remembered = key in self.effects and key not in self.forgotten
        repeated = self.traits.honours_keys and remembered
        if not repeated:
            self.effects.append(key)
            self.states[key] = state
        return self._receipt(key, repeated=repeated)

    def _receipt(self, key: str, *, repeated: bool) -> Receipt:
        return Receipt(
            reference=f"RF-{key[:8]}", state=self.states[key], summary={}, repeated=repeated
        )


def times(does: Does, count: int) -> Iterable[Does]:
    """Return the same step several times."""
    return [does] * count


class Through:
    """A gateway that passes every call on, and tells of it before or behind."""

    def __init__(
        self,
        inner: Gateway,
        *,
        before_send: Callable[[], object] = bool,
        behind_send: Callable[[], object] = bool,
        before_look_up: Callable[[], object] = bool,
    ) -> None:
        self._inner = inner
        self._before_send = before_send
        self._behind_send = behind_send
        self._before_look_up = before_look_up

    @property
    def traits(self) -> GatewayTraits:
        return self._inner.traits

    def prepare(self, action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
        return self._inner.prepare(action, ticket_id=ticket_id, operation_id=operation_id, key=key)

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:
        self._before_send()
        receipt = self._inner.send(tool, request, key, timeout_s=timeout_s)
        self._behind_send()
        return receipt

    def look_up(self, key: str, operation_id: str, action: Action) -> Receipt | None:
        self._before_look_up()
        return self._inner.look_up(key, operation_id, action)

    def poll(self, reference: str, action: Action) -> Receipt:
        return self._inner.poll(reference, action)
