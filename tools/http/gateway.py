"""Writes through the documented contract."""

from __future__ import annotations

from typing import Final

from tools.actions import Action
from tools.errors import NotFound, ShopGarbled, ShopInvalid
from tools.gateway import GatewayTraits, Receipt
from tools.http import records
from tools.http.answers import body_of
from tools.http.client import Answer, HttpClient, path_of
from tools.http.shop import READ_TIMEOUT_S
from tools.request import read_request, write_request

__all__ = ["HTTP_TRAITS", "KEY_HEADER", "WRITE_PATHS", "HttpGateway"]

KEY_HEADER: Final = "Idempotency-Key"
WRITE_PATHS: Final = {
    "request_refund": "/v1/refunds",
    "reship_item": "/v1/reshipments",
    "create_return_label": "/v1/return-labels",
}
HTTP_TRAITS: Final = GatewayTraits(
    name="http",
    honours_keys=True,
    key_lifetime_s=72_000,
    stores_failures=True,
    retries_failed=False,
    absence_provable=True,
    settle_s=600,
)
"""What the contract demands: keys kept for a day, exact look-ups. The rest is pessimistic."""


class HttpGateway:
    """Sends writes to a service of the contract. Closing its client is the caller's."""

    def __init__(
        self,
        client: HttpClient,
        *,
        traits: GatewayTraits = HTTP_TRAITS,
        timeout_s: float = READ_TIMEOUT_S,
    ) -> None:
        """Put the parts together.

        Args:
            client: the calls, with what authenticates us.
            traits: what this service promises, where that is not what the contract demands.
            timeout_s: longest wait for a look-up, in seconds.
        """
        self._client = client
        self._traits = traits
        self._timeout_s = timeout_s

    @property
    def traits(self) -> GatewayTraits:
        """What the service promises."""
        return self._traits

    def prepare(self, action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
        """Return the canonical JSON of the write."""
        return write_request(action, ticket_id=ticket_id, operation_id=operation_id, key=key)

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:
        """Send the write. Raises as the protocol says."""
        if tool not in WRITE_PATHS:
            raise ShopInvalid("the contract has no such write", code="unknown_tool")
        headers = {"Content-Type": "application/json", KEY_HEADER: key}
        answer = self._client.post(
            WRITE_PATHS[tool], body=request, headers=headers, timeout_s=timeout_s
        )
        found = _read(answer, key)
        if found.operation_id != read_request(request).operation_id:
            raise ShopGarbled("the service answered for another operation")
        return found.receipt()

    def look_up(self, key: str, operation_id: str, action: Action) -> Receipt | None:  # noqa: ARG002 (the key suffices)
        """Return the write under this key; ``None`` where the service says that there is none.

        The key alone decides: after a backup was restored, an equal intent has it again under
        another operation, and is done all the same.
        """
        try:
            return _read(self._get(path_of("v1", "operations", key)), key).receipt()
        except NotFound:
            return None

    def poll(self, reference: str, action: Action) -> Receipt:  # noqa: ARG002 (the reference suffices)
        """Return the write with this reference."""
        answer = self._get(path_of("v1", "changes", reference))
        found = records.read(records.RECEIPT, body_of(answer))
        if found.reference != reference:
            raise ShopGarbled("the service answered for another change")
        return found.receipt()

    def _get(self, path: str) -> Answer:
        return self._client.get(path, timeout_s=self._timeout_s)


def _read(answer: Answer, key: str) -> records.WriteReceipt:
    found = records.read(records.RECEIPT, body_of(answer))
    if found.key != key:
        raise ShopGarbled("the service answered for another write")
    return found
