"""The gateway: the one seam through which a shop is changed.

Only the package ``approvals`` may hold a gateway, and only its executor calls ``send``. What a
gateway promises about repeated calls stands in its traits; the executor decides by them and by
nothing else, so that a shop that forgets or ignores keys is safe too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol

from tools.actions import Action

__all__ = ["MAX_KEY_CHARS", "Gateway", "GatewayTraits", "Receipt", "ReceiptState"]

MAX_KEY_CHARS: Final = 255
"""Longest key of a write, in characters (Stripe's bound, the shortest we know)."""


class ReceiptState(StrEnum):
    """What a shop says of a write that it holds."""

    SETTLED = "settled"
    """Done and final."""
    PENDING = "pending"
    """Accepted and on its way. It can still fail, so it is polled until it is final."""
    FAILED = "failed"
    """Final, and nothing moved."""
    UNCLEAR = "unclear"
    """Held by the shop in a state that only a person can judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One write as the shop holds it.

    Attributes:
        reference: the shop's own id of the change.
        state: what the shop says of it.
        summary: facts for people, as JSON values: no secrets, no text of a customer.
        repeated: the shop had carried out this write before and returned what it had stored.
    """

    reference: str
    state: ReceiptState
    summary: Mapping[str, Any] = field(default_factory=dict)
    repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayTraits:
    """What a shop promises about writes. The defaults are the most pessimistic.

    Attributes:
        name: stands in the operation's row; an operation goes only through the gateway that it
            was made for.
        honours_keys: a second call with a key does nothing while the key is remembered.
        key_lifetime_s: seconds after the first attempt in which a key may be sent again, with a
            margin before the shop forgets it; ``None`` is for ever.
        stores_failures: an answer of 5xx is kept under the key and comes back to every repeat.
        retries_failed: a repeat after an answer of 5xx completes the work under the same key.
        absence_provable: a look-up that finds nothing proves that nothing happened, once no call
            can be in flight any more.
        settle_s: seconds after an attempt during which its call may still arrive; look-ups go on
            so long before the operation becomes ``unknown``.
    """

    name: str
    honours_keys: bool = False
    key_lifetime_s: int | None = 0
    stores_failures: bool = True
    retries_failed: bool = False
    absence_provable: bool = False
    settle_s: int = 600

    def __post_init__(self) -> None:
        if not self.name or self.settle_s < 0 or (self.key_lifetime_s or 0) < 0:
            raise ValueError("traits need a name, and no time may be negative")


class Gateway(Protocol):
    """One shop's writes. Safe to use from several threads; no method is retried in here."""

    @property
    def traits(self) -> GatewayTraits:
        """What the shop promises."""
        ...

    def prepare(self, action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
        """Return the exact bytes of the request. Pure: equal arguments give equal bytes.

        Raises:
            ShopInvalid: this gateway cannot carry out such an action at all.
        """
        ...

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:
        """Send prepared bytes under their key, once, waiting at most ``timeout_s`` seconds.

        Raises:
            ShopUnavailable: it did not act (ShopBusy: and asked to be called later).
            ShopTimeout, ShopBroke, ShopGarbled: it may or may not have acted.
            ShopConflict: the same key is in flight.
            ShopDenied, ShopInvalid, ShopMismatch: it refused and did not act.
        """
        ...

    def look_up(self, key: str, operation_id: str, action: Action) -> Receipt | None:
        """Return the write that bears the key; ``None`` where none does.

        The operation's id is for a shop that keeps no keys. It is unique within one store alone:
        of two stores before one shop, one may meet a write of the other under it.

        Raises:
            ShopError: the shop could not say. That is not the same as none.
        """
        ...

    def poll(self, reference: str, action: Action) -> Receipt:
        """Return what the shop says now of a write that was pending.

        Raises:
            NotFound: the shop knows no such write.
            ShopError: the shop could not say.
        """
        ...
