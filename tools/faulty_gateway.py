"""Simulated faults of writes: any gateway, made to time out, fail or refuse a number of times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from tools.actions import Action
from tools.errors import ShopDenied, ShopTimeout, ShopUnavailable
from tools.faults import Fault, FaultMode, FaultPlan
from tools.gateway import Gateway, GatewayTraits, Receipt
from tools.request import read_request

__all__ = ["FaultyGateway", "TicketFaultsGateway"]


class FaultyGateway:
    """A gateway with faults around its writes. Look-ups and polls pass untouched."""

    def __init__(self, gateway: Gateway, faults: Iterable[Fault] | FaultPlan) -> None:
        self._gateway = gateway
        self._plan = faults if isinstance(faults, FaultPlan) else FaultPlan(faults)

    @property
    def traits(self) -> GatewayTraits:
        """The gateway's own."""
        return self._gateway.traits

    def prepare(self, action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
        """Return the gateway's bytes."""
        return self._gateway.prepare(
            action, ticket_id=ticket_id, operation_id=operation_id, key=key
        )

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:
        """Meet the tool's next fault, if one is left, or send.

        Raises:
            ShopTimeout, ShopUnavailable, ShopDenied: the fault's.
            ShopError: what the gateway raises.
        """
        mode = self._plan.take(tool)
        match mode:
            case None:
                return self._gateway.send(tool, request, key, timeout_s=timeout_s)
            case FaultMode.TIMEOUT | FaultMode.TIMEOUT_BEFORE_WRITE:
                raise ShopTimeout("a simulated fault: the shop did not answer")
            case FaultMode.TIMEOUT_AFTER_WRITE:
                self._gateway.send(tool, request, key, timeout_s=timeout_s)
                raise ShopTimeout(
                    "a simulated fault: the shop carried it out, and its answer was lost"
                )
            case FaultMode.UNAVAILABLE:
                raise ShopUnavailable("a simulated fault: the shop was away and did nothing")
            case FaultMode.DENIED:
                raise ShopDenied("a simulated fault: the shop refused this caller")
            case _:
                assert_never(mode)

    def look_up(self, key: str, operation_id: str, action: Action) -> Receipt | None:
        """Return the gateway's answer."""
        return self._gateway.look_up(key, operation_id, action)

    def poll(self, reference: str, action: Action) -> Receipt:
        """Return the gateway's answer."""
        return self._gateway.poll(reference, action)


class TicketFaultsGateway:
    """A gateway whose writes for a ticket meet the faults of that ticket.

    Args:
        gateway: one whose requests name their ticket (``tools.request``).
        faults: by ticket id, what its writes meet, a number of times for as long as this lives.
    """

    def __init__(self, gateway: Gateway, faults: Mapping[str, Iterable[Fault]]) -> None:
        self._gateway = gateway
        self._faulty = {
            ticket_id: FaultyGateway(gateway, tuple(given)) for ticket_id, given in faults.items()
        }

    @property
    def traits(self) -> GatewayTraits:
        """The gateway's own."""
        return self._gateway.traits

    def prepare(self, action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
        """Return the gateway's bytes."""
        return self._gateway.prepare(
            action, ticket_id=ticket_id, operation_id=operation_id, key=key
        )

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:
        """Meet the ticket's next fault for this tool, if one is left, or send.

        Raises:
            ShopTimeout, ShopUnavailable, ShopDenied: the fault's.
            ShopError: what the gateway raises.
        """
        gateway = self._faulty.get(read_request(request).ticket_id, self._gateway)
        return gateway.send(tool, request, key, timeout_s=timeout_s)

    def look_up(self, key: str, operation_id: str, action: Action) -> Receipt | None:
        """Return the gateway's answer."""
        return self._gateway.look_up(key, operation_id, action)

    def poll(self, reference: str, action: Action) -> Receipt:
        """Return the gateway's answer."""
        return self._gateway.poll(reference, action)
