"""The shop as the executor meets it: every call outside any transaction, through one door."""

from __future__ import annotations

from collections.abc import Mapping

from approvals.operation_rows import Operation
from approvals.store import assert_no_transaction
from tools import Gateway, GatewayTraits, Receipt, Shop, check_action, open_view

__all__ = ["ShopSide"]


class ShopSide:
    """Reads through the shop, writes through the gateways. Every method may wait for a network.

    Each refuses to start inside a transaction (``TransactionOpen``) and raises ``ShopError`` as
    the shop and the gateway do.
    """

    def __init__(self, shop: Shop, gateways: Mapping[str, Gateway], *, timeout_s: float) -> None:
        self._shop = shop
        self._gateways = dict(gateways)
        self._timeout_s = timeout_s

    def traits_of(self, operation: Operation) -> GatewayTraits | None:
        """Return the promises of the operation's own gateway; None where it is not set up."""
        gateway = self._gateways.get(operation.gateway)
        return None if gateway is None else gateway.traits

    def check(self, operation: Operation, customer_id: str) -> None:
        """Return where the action is possible now: owner, stock, what is left."""
        assert_no_transaction()
        check_action(open_view(self._shop, customer_id), operation.action)

    def look_up(self, operation: Operation) -> Receipt | None:
        """Return what the shop holds under the operation's key or id."""
        assert_no_transaction()
        gateway = self._gateways[operation.gateway]
        return gateway.look_up(operation.key, operation.operation_id, operation.action)

    def send(self, operation: Operation) -> Receipt:
        """Send the stored bytes under the stored key, once."""
        assert_no_transaction()
        gateway = self._gateways[operation.gateway]
        return gateway.send(
            operation.tool, operation.request, operation.key, timeout_s=self._timeout_s
        )

    def poll(self, operation: Operation) -> Receipt:
        """Return what the shop says now of a write that it had called pending."""
        assert_no_transaction()
        reference = str((operation.result or {}).get("reference", ""))
        return self._gateways[operation.gateway].poll(reference, operation.action)
