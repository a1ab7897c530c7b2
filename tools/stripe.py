"""Refunds through Stripe's API (v1), by Stripe's own semantics of keys and states.

A key is forgotten after a day, and then the same request pays again. So every refund carries our
operation's id in its metadata, and a look-up lists the refunds of that one payment, which Stripe
keeps consistent at once (the search index lags and is not used).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final, assert_never
from urllib.parse import parse_qsl, urlencode

from tools.actions import Action, CreateReturnLabel, RefundReason, RequestRefund, ReshipItem
from tools.errors import MoneyError, ShopGarbled, ShopInvalid
from tools.gateway import GatewayTraits, Receipt, ReceiptState
from tools.http.client import HttpClient, path_of
from tools.money import Money, currency_digits
from tools.stripe_answers import object_of, text_field

__all__ = ["STRIPE_API", "STRIPE_TRAITS", "STRIPE_VERSION", "StripeGateway"]

STRIPE_API: Final = "https://api.stripe.com"
STRIPE_VERSION: Final = "2024-06-20"
"""The version of the API that this was written for; sent with every call."""
STRIPE_TRAITS: Final = GatewayTraits(
    name="stripe",
    honours_keys=True,
    key_lifetime_s=72_000,
    stores_failures=True,
    retries_failed=False,
    absence_provable=True,
    settle_s=600,
)
"""A key may be removed once it is 24 hours old; we stop at 20. A 500 is kept under its key."""

PAGE: Final = 50
MAX_PAGES: Final = 100
"""5000 refunds of one payment; more is taken for a fault."""
MAX_REASON_CHARS: Final = 40
LOOK_UP_S: Final = 20.0
"""Longest wait for one page, in seconds."""
OPERATION: Final = "handrail_operation"
TICKET: Final = "handrail_ticket"
KEY: Final = "handrail_key"
CURRENCY: Final = "handrail_currency"
_COUNTED_OTHERWISE: Final = frozenset("IQD ISK LYD MGA UGX UYI".split())
"""Stripe's minor units of these are not those of ISO 4217, or it does not take them."""
_REASONS: Final = {
    RefundReason.DOUBLE: "duplicate",
    RefundReason.DAMAGE: "requested_by_customer",
    RefundReason.LATE: "requested_by_customer",
}
_STATES: Final = {
    "succeeded": ReceiptState.SETTLED,
    "pending": ReceiptState.PENDING,
    "requires_action": ReceiptState.UNCLEAR,
    "failed": ReceiptState.FAILED,
    "canceled": ReceiptState.FAILED,
}


class StripeGateway:
    """Refunds payments of a Stripe account; it has no other writes.

    Its client sends ``Authorization: Bearer`` with a restricted key that may write refunds and
    nothing else. Closing the client is the caller's.
    """

    def __init__(self, client: HttpClient, *, version: str = STRIPE_VERSION) -> None:
        """Put the parts together.

        Args:
            client: calls to ``STRIPE_API``, or to a double on this machine.
            version: what ``Stripe-Version`` says.
        """
        self._client = client
        self._headers = {"Stripe-Version": version}

    @property
    def traits(self) -> GatewayTraits:
        """What Stripe promises, with a margin."""
        return STRIPE_TRAITS

    def prepare(self, action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
        """Return the form-encoded request for a refund.

        Raises:
            ShopInvalid: it is no refund, names no payment of Stripe's, or its currency is one
                that Stripe counts in other units than we do.
        """
        refund = _refund(action)
        fields = {
            _payment_field(refund.payment_id): refund.payment_id or "",
            "amount": str(_amount(refund.money)),
            "reason": _REASONS[refund.reason_code],
            f"metadata[{OPERATION}]": operation_id,
            f"metadata[{TICKET}]": ticket_id,
            f"metadata[{KEY}]": key,
            f"metadata[{CURRENCY}]": refund.currency,
        }
        return urlencode(fields).encode("ascii")

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:
        """Create the refund. Raises as the protocol says."""
        if tool != "request_refund":
            raise ShopInvalid("Stripe carries out refunds only", code="not_a_refund")
        headers = {
            **self._headers,
            "Content-Type": "application/x-www-form-urlencoded",
            "Idempotency-Key": key,
        }
        answer = self._client.post(
            "/v1/refunds", body=request, headers=headers, timeout_s=timeout_s
        )
        replayed = answer.headers.get("idempotent-replayed") == "true"
        refund = object_of(answer)
        asked = dict(parse_qsl(request.decode("ascii")))
        if _metadata(refund).get(OPERATION) != asked[f"metadata[{OPERATION}]"]:
            raise ShopGarbled("Stripe answered for another refund")
        return _receipt(refund, repeated=replayed)

    def look_up(self, key: str, operation_id: str, action: Action) -> Receipt | None:  # noqa: ARG002 (the key suffices)
        """Return the refund of that payment whose metadata hold the key.

        Raises:
            ShopGarbled: two refunds hold it; a person has to look at them.
        """
        refund = _refund(action)
        query = {_payment_field(refund.payment_id): refund.payment_id or "", "limit": str(PAGE)}
        found = [each for each in self._list(query) if _metadata(each).get(KEY) == key]
        if len(found) > 1:
            raise ShopGarbled(f"{len(found)} refunds bear this operation; compare them at Stripe")
        return _receipt(found[0], repeated=True) if found else None

    def poll(self, reference: str, action: Action) -> Receipt:  # noqa: ARG002 (the reference suffices)
        """Return the refund as it stands now."""
        answer = self._client.get(
            path_of("v1", "refunds", reference), headers=self._headers, timeout_s=LOOK_UP_S
        )
        refund = object_of(answer)
        if text_field(refund, "id") != reference:
            raise ShopGarbled("Stripe answered for another refund")
        return _receipt(refund, repeated=True)

    def _list(self, query: dict[str, str]) -> list[dict[str, Any]]:
        """Return all refunds of one payment, page by page."""
        found: list[dict[str, Any]] = []
        for _ in range(MAX_PAGES):
            after = {"starting_after": text_field(found[-1], "id")} if found else {}
            answer = self._client.get(
                "/v1/refunds", params=query | after, headers=self._headers, timeout_s=LOOK_UP_S
            )
            page = object_of(answer)
            rows, more = page.get("data"), page.get("has_more")
            if not isinstance(rows, list) or not isinstance(more, bool) or (more and not rows):
                raise ShopGarbled("Stripe's list of refunds cannot be read")
            if not all(isinstance(row, dict) for row in rows):
                raise ShopGarbled("Stripe's list of refunds cannot be read")
            found += rows
            if not more:
                return found
        raise ShopGarbled("the payment has more refunds than can be")


def _refund(action: Action) -> RequestRefund:
    match action:
        case RequestRefund():
            return action
        case CreateReturnLabel() | ReshipItem():
            raise ShopInvalid("Stripe carries out refunds only", code="not_a_refund")
        case _:
            assert_never(action)


def _payment_field(payment_id: str | None) -> str:
    """Return which field of the API names such a payment."""
    if payment_id is not None and payment_id.startswith("pi_"):
        return "payment_intent"
    if payment_id is not None and payment_id.startswith(("ch_", "py_")):
        return "charge"
    raise ShopInvalid(
        "a refund through Stripe names its payment: pi_ …, ch_ … or py_ …", code="no_stripe_payment"
    )


def _amount(money: Money) -> int:
    """Return the amount in Stripe's minor units (its documentation of currencies)."""
    if money.currency in _COUNTED_OTHERWISE:
        raise ShopInvalid(
            f"Stripe counts {money.currency} in other units; refund it at Stripe",
            code="currency_refused",
        )
    three_digits = 3
    if currency_digits(money.currency) == three_digits and money.minor % 10:
        raise ShopInvalid(
            f"Stripe takes amounts in {money.currency} to the nearest ten of its smallest unit",
            code="amount_refused",
        )
    return money.minor


def _metadata(refund: dict[str, Any]) -> dict[str, Any]:
    metadata = refund.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _receipt(refund: dict[str, Any], *, repeated: bool) -> Receipt:
    status = text_field(refund, "status")
    if status not in _STATES:
        raise ShopGarbled("Stripe's answer is not a refund that we know how to read")
    money = _money(refund)
    summary = {"amount": money.amount_text, "currency": money.currency, "status": status}
    failure = refund.get("failure_reason")
    if isinstance(failure, str) and failure.isascii() and failure.isidentifier():
        summary["failure_reason"] = failure[:MAX_REASON_CHARS]
    state = _STATES[status]
    if _metadata(refund).get(CURRENCY) != money.currency:
        # A refund has no currency of its own in the request: Stripe takes the payment's.
        summary["problem"] = "paid in another currency than approved"
        state = ReceiptState.UNCLEAR
    return Receipt(
        reference=text_field(refund, "id"), state=state, summary=summary, repeated=repeated
    )


def _money(refund: dict[str, Any]) -> Money:
    amount, currency = refund.get("amount"), text_field(refund, "currency").upper()
    if type(amount) is int:
        with suppress(MoneyError):
            return Money(amount, currency)
    raise ShopGarbled("Stripe's answer has no amount that can be read")
