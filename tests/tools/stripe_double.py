"""A double of Stripe's refunds (API v1) on this machine, as strict about keys as the original.

It keeps status and body of the first request per key, 500s included, once the endpoint has begun;
forgets keys after 24 hours of its own clock; answers 409 while a key is in flight; refuses a key
with other parameters; can drop an answer, fail after paying, and fail before it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

KEY_LIFE_S = 86_400


class Trick(Enum):
    """What the next creation of a refund meets."""

    DROP_AFTER = auto()
    DROP_BEFORE = auto()
    FAIL_AFTER = auto()
    FAIL_BEFORE = auto()
    RATE_LIMIT = auto()
    HTML = auto()


@dataclass
class Stripe:
    """The account: its payments, its refunds, its keys, its clock."""

    payments: dict[str, tuple[int, str]] = field(
        default_factory=lambda: {"pi_1": (10_000, "cad"), "ch_1": (10_000, "cad")}
    )
    refunds: list[dict[str, Any]] = field(default_factory=list)
    tricks: list[Trick] = field(default_factory=list)
    now_s: int = 0
    status: str = "succeeded"
    page: int = 2
    """Longest page, whatever is asked for, so that paging is met by few refunds."""
    requests: list[tuple[str, str, dict[str, str], str]] = field(default_factory=list)
    hold: Callable[[], None] | None = None
    keys: dict[str, tuple[int, str, tuple[int, bytes]]] = field(default_factory=dict)
    in_flight: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def create(self, key: str, body: str) -> tuple[int, bytes, bool] | None:
        """Answer a creation: status, body, replayed; None drops the answer."""
        with self.lock:
            trick = self.tricks.pop(0) if self.tricks else None
            if trick is Trick.RATE_LIMIT:
                return *_error(429, "rate_limit_error", "rate_limit"), False
            if trick is Trick.HTML:
                return 200, b"<html>", False
            known = self.keys.get(key)
            if known is not None and self.now_s - known[0] < KEY_LIFE_S:
                if known[1] != body:
                    return *_error(400, "idempotency_error", None), False
                return *known[2], True
            if key in self.in_flight:
                code = "idempotency_key_in_use"
                return *_error(409, "invalid_request_error", code), False
            if trick is Trick.DROP_BEFORE:
                return None
            self.in_flight.add(key)
        if self.hold is not None:
            self.hold()
        with self.lock:
            self.in_flight.discard(key)
            answer = self._begin(body, trick)
            self.keys[key] = (self.now_s, body, answer)
        return None if trick is Trick.DROP_AFTER else (*answer, False)

    def list(self, query: dict[str, str]) -> tuple[int, bytes]:
        """Answer a list of the refunds of one payment, newest first."""
        which = "payment_intent" if "payment_intent" in query else "charge"
        if query[which] not in self.payments:
            return _error(404, "invalid_request_error", "resource_missing")
        found = [each for each in reversed(self.refunds) if each[which] == query[which]]
        ids = [each["id"] for each in found]
        start = ids.index(query["starting_after"]) + 1 if "starting_after" in query else 0
        end = start + min(self.page, int(query["limit"]))
        page = {"object": "list", "data": found[start:end], "has_more": end < len(found)}
        return 200, json.dumps(page).encode()

    def retrieve(self, reference: str) -> tuple[int, bytes]:
        """Answer one refund."""
        for each in self.refunds:
            if each["id"] == reference:
                return 200, json.dumps(each).encode()
        return _error(404, "invalid_request_error", "resource_missing")

    def _begin(self, body: str, trick: Trick | None) -> tuple[int, bytes]:
        if trick is Trick.FAIL_BEFORE:
            return _error(500, "api_error", None)
        answer = self._refund(dict(parse_qsl(body)))
        return _error(500, "api_error", None) if trick is Trick.FAIL_AFTER else answer

    def _refund(self, fields: dict[str, str]) -> tuple[int, bytes]:
        which = "payment_intent" if "payment_intent" in fields else "charge"
        paid, currency = self.payments[fields[which]]
        gone = sum(each["amount"] for each in self.refunds if each[which] == fields[which])
        amount = int(fields["amount"])
        if gone + amount > paid:
            code = "charge_already_refunded" if gone == paid else None
            return _error(400, "invalid_request_error", code)
        refund = {
            "id": f"re_{len(self.refunds) + 1}",
            "object": "refund",
            "amount": amount,
            "currency": currency,
            "charge": None,
            "payment_intent": None,
            "status": self.status,
            "metadata": {
                name.removeprefix("metadata[").removesuffix("]"): value
                for name, value in fields.items()
                if name.startswith("metadata[")
            },
            which: fields[which],
        }
        self.refunds.append(refund)
        return 200, json.dumps(refund).encode()


class StripeServer(ThreadingHTTPServer):
    """Serves the account on loopback."""

    daemon_threads = True

    def __init__(self, stripe: Stripe) -> None:
        self.stripe = stripe
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: StripeServer

    def do_GET(self) -> None:
        self._note("")
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/v1/refunds":
            self._send(*self.server.stripe.list(query))
        else:
            self._send(*self.server.stripe.retrieve(url.path.rpartition("/")[2]))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._note(body)
        answer = self.server.stripe.create(self.headers["Idempotency-Key"], body)
        if answer is not None:
            status, content, replayed = answer
            self._send(status, content, replayed=replayed)

    def log_message(self, *args: Any) -> None:
        """Stay silent."""

    def _note(self, body: str) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.stripe.requests.append((self.command, self.path, headers, body))

    def _send(self, status: int, content: bytes, *, replayed: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Type", "application/json")
        if replayed:
            self.send_header("Idempotent-Replayed", "true")
        if status == 429:
            self.send_header("Retry-After", "3")
        self.end_headers()
        self.wfile.write(content)


def _error(status: int, kind: str, code: str | None) -> tuple[int, bytes]:
    error = {"type": kind, "message": "a secret of the account"} | ({"code": code} if code else {})
    return status, json.dumps({"error": error}).encode()
