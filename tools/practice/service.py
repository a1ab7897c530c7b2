"""The practice shop as a service of the documented contract (``docs/shop_http.md``).

From a request to a reply; sockets are the business of ``tools.practice.server``. Beyond the
contract there are two addresses for practice: the list of changes, and the switch for faults.
"""

from __future__ import annotations

import hmac
import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from pydantic import SecretStr

from tools.canonical import canonical, parse_json
from tools.errors import (
    FaultRefused,
    JsonRefused,
    NotFound,
    NotYours,
    ShopConflict,
    ShopDenied,
    ShopError,
    ShopInvalid,
    ShopMismatch,
    ShopTimeout,
    ShopUnavailable,
)
from tools.faults import Fault, FaultyShop
from tools.faulty_gateway import FaultyGateway
from tools.gateway import Receipt
from tools.http import records
from tools.http.answers import KEY_MISMATCH, NOT_ACTED, NOT_FOUND
from tools.http.gateway import KEY_HEADER, WRITE_PATHS
from tools.practice.gateway import PracticeGateway
from tools.request import read_request
from tools.shop import Shop, ShopView, open_view

__all__ = ["PracticeService", "Reply", "Request"]

_log: Final = logging.getLogger("handrail.tools")
_TOOLS: Final = {path: tool for tool, path in WRITE_PATHS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. Header names are lower case."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply; its body is JSON."""

    status: int
    body: bytes


class PracticeService:
    """Answers requests from one practice shop. Safe to use from several threads."""

    def __init__(
        self,
        shop: Shop,
        gateway: PracticeGateway,
        *,
        faults: Sequence[Fault] = (),
        token: SecretStr | None = None,
    ) -> None:
        """Put the parts together; closing them is the caller's.

        Args:
            shop: what is read.
            gateway: what carries out writes.
            faults: simulated faults from the start.
            token: what ``Authorization: Bearer`` must hold; ``None`` asks for nothing.
        """
        self._shop = shop
        self._gateway = gateway
        self._token = token
        self._in_flight: set[str] = set()
        self._lock = threading.Lock()
        self._faulty = _Faulty.of(shop, gateway, faults)
        self._routes = (
            _route("GET", "/v1/calendar", self._calendar),
            _route("GET", "/v1/policy", self._policy),
            _route("GET", "/v1/customers/{customer}/orders", self._orders),
            _route("GET", "/v1/customers/{customer}/orders/{order}", self._order),
            _route("GET", "/v1/customers/{customer}/orders/{order}/payments", self._payments),
            _route("GET", "/v1/customers/{customer}/tickets/{ticket}", self._ticket),
            _route("GET", "/v1/operations/{key}", self._operation),
            _route("GET", "/v1/changes/{reference}", self._change),
            _route("GET", "/practice/changes", self._changes),
            _route("POST", "/practice/faults", self._set_faults),
        )

    def answer(self, request: Request) -> Reply | None:
        """Return the reply; ``None`` is no answer at all: the connection is to be closed."""
        try:
            self._check_caller(request)
            return self._route(request)
        except ShopTimeout:
            return None
        except ShopError as error:
            return _refusal(error)
        except Exception as error:  # noqa: BLE001 (one request must not end the service)
            _log.error("practice_service_failed", extra={"error": type(error).__name__})
            return _problem(500, "internal_error", "the practice shop has a fault of its own")

    def _check_caller(self, request: Request) -> None:
        if self._token is None:
            return
        wanted = f"Bearer {self._token.get_secret_value()}".encode()
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), wanted):
            raise ShopDenied("the token is missing or wrong")

    def _route(self, request: Request) -> Reply:
        url = urlsplit(request.target)
        if request.method == "POST" and url.path in _TOOLS:
            return self._write(_TOOLS[url.path], request)
        for method, pattern, handler in self._routes:
            match = pattern.fullmatch(url.path)
            if match is not None and method == request.method:
                parts = {name: unquote(part) for name, part in match.groupdict().items()}
                query = {name: values[0] for name, values in parse_qs(url.query).items()}
                return handler(parts, query, request.body)
        raise NotFound("there is no such address")

    # Reads

    def _calendar(self, *_: Any) -> Reply:
        holidays = records.Holidays(holidays=self._shop.calendar.holidays)
        return Reply(200, records.write(records.CALENDAR, holidays))

    def _orders(self, parts: Mapping[str, str], *_: Any) -> Reply:
        orders = records.Orders(orders=self._view(parts).orders())
        return Reply(200, records.write(records.ORDERS, orders))

    def _order(self, parts: Mapping[str, str], *_: Any) -> Reply:
        order = self._view(parts).order(parts["order"])
        return Reply(200, records.write(records.ORDER, order))

    def _payments(self, parts: Mapping[str, str], *_: Any) -> Reply:
        history = self._view(parts).payments(parts["order"])
        return Reply(200, records.write(records.HISTORY, history))

    def _ticket(self, parts: Mapping[str, str], *_: Any) -> Reply:
        ticket = self._view(parts).past_ticket(parts["ticket"])
        return Reply(200, records.write(records.TICKET, ticket))

    def _policy(self, _: Mapping[str, str], query: Mapping[str, str], *__: Any) -> Reply:
        try:
            on = date.fromisoformat(query.get("on", ""))
        except ValueError:
            raise ShopInvalid("on is a date such as 2026-10-09", code="invalid_query") from None
        view = self._faulty.shop.for_customer("")  # the policy is nobody's
        found = records.Passages(passages=view.search_policy(query.get("query", ""), on))
        return Reply(200, records.write(records.PASSAGES, found))

    def _view(self, parts: Mapping[str, str]) -> ShopView:
        return open_view(self._faulty.shop, parts["customer"])

    # Writes

    def _write(self, tool: str, request: Request) -> Reply:
        key = request.headers.get(KEY_HEADER.lower(), "")
        if not key:
            return _problem(400, "key_missing", f"a write needs the header {KEY_HEADER}")
        if request.headers.get("content-type") != "application/json":
            return _problem(415, "not_json", "a write is application/json")
        write = read_request(request.body)
        with self._alone(key):
            receipt = self._faulty.gateway.send(tool, request.body, key, timeout_s=0)
        return _receipt(200 if receipt.repeated else 201, key, write.operation_id, receipt)

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Hold the key while its write is in flight."""
        with self._lock:
            if key in self._in_flight:
                raise ShopConflict("a write with this key is in flight")
            self._in_flight.add(key)
        try:
            yield
        finally:
            with self._lock:
                self._in_flight.discard(key)

    def _operation(self, parts: Mapping[str, str], *_: Any) -> Reply:
        with self._alone(parts["key"]):  # an answer while it is in flight would prove nothing
            stored = self._gateway.find(parts["key"])
        if stored is None:
            raise NotFound("no write bears this key")
        return _receipt(200, stored.key, stored.operation_id, stored.receipt(repeated=True))

    def _change(self, parts: Mapping[str, str], *_: Any) -> Reply:
        stored = self._gateway.find_reference(parts["reference"])
        return _receipt(200, stored.key, stored.operation_id, stored.receipt(repeated=True))

    # Practice only

    def _changes(self, *_: Any) -> Reply:
        changes = [
            {
                "tool": change.tool,
                "operation_id": change.operation_id,
                "order_id": change.order_id,
                "reference": change.reference,
                "made_on": change.made_on.isoformat(),
                "summary": change.summary,
            }
            for change in self._gateway.changes()
        ]
        return _json(200, {"changes": changes})

    def _set_faults(self, _: Mapping[str, str], __: Mapping[str, str], body: bytes) -> Reply:
        """Replace the faults: ``{"faults": ["request_refund:timeout:2"]}``; none ends them."""
        try:
            faults = [Fault.parse(text) for text in parse_json(body.decode())["faults"]]
        except (UnicodeDecodeError, JsonRefused, LookupError, TypeError, AttributeError):
            return _problem(422, "invalid_body", 'the body is {"faults": ["tool:mode:times"]}')
        except FaultRefused as error:
            return _problem(422, "invalid_fault", str(error))
        self._faulty = _Faulty.of(self._shop, self._gateway, faults)
        return _json(200, {"faults": len(faults)})


@dataclass(frozen=True, slots=True)
class _Faulty:
    """The shop and the gateway behind one set of faults, replaced as a whole."""

    shop: FaultyShop
    gateway: FaultyGateway

    @classmethod
    def of(cls, shop: Shop, gateway: PracticeGateway, faults: Sequence[Fault]) -> _Faulty:
        return cls(FaultyShop(shop, faults), FaultyGateway(gateway, faults))


_Handler = Callable[[Mapping[str, str], Mapping[str, str], bytes], Reply]


def _route(method: str, path: str, handler: _Handler) -> tuple[str, re.Pattern[str], _Handler]:
    """Return a route; a word in braces stands for one part of the path."""
    return method, re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)), handler


def _receipt(status: int, key: str, operation_id: str, receipt: Receipt) -> Reply:
    answer = records.WriteReceipt(
        operation_id=operation_id,
        key=key,
        reference=receipt.reference,
        state=receipt.state,
        summary=dict(receipt.summary),
        repeated=receipt.repeated,
    )
    return Reply(status, records.write(records.RECEIPT, answer))


def _refusal(error: ShopError) -> Reply:
    match error:
        case NotFound() | NotYours():
            return _problem(404, NOT_FOUND, "there is no such thing")
        case ShopDenied():
            return _problem(403, "denied", "this caller is refused")
        case ShopConflict():
            return _problem(409, "key_in_flight", str(error))
        case ShopMismatch():
            return _problem(422, KEY_MISMATCH, str(error))
        case ShopInvalid():
            return _problem(422, error.code, str(error))
        case ShopUnavailable():
            return _problem(503, NOT_ACTED, "the practice shop cannot act now, and did not")
        case _:
            return _problem(500, "internal_error", "the practice shop failed")


def _problem(status: int, code: str, message: str) -> Reply:
    return _json(status, {"code": code, "message": message})


def _json(status: int, value: Any) -> Reply:
    return Reply(status, canonical(value).encode("ascii"))
