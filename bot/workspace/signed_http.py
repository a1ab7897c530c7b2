"""Delivery over HTTP: truly signed requests to the app's own address on this machine."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode, urlsplit

from bot.workspace.loopback import require_loopback
from bot.workspace.traffic import Answer, Delivery, Kind

__all__ = ["SignedHttp", "signed_headers"]

WORKERS = 32
"""Deliveries that are on their way at the same time; more of them wait for their turn."""


def signed_headers(secret: str, body: bytes, at: float) -> dict[str, str]:
    """Return Slack's two headers: HMAC-SHA256 over ``v0:<seconds>:<body>``."""
    stamp = str(int(at))
    text = b":".join((b"v0", stamp.encode("ascii"), body))
    digest = hmac.new(secret.encode("utf-8"), text, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


class SignedHttp:
    """Posts each payload to one address, and counts what is not answered in time as failed.

    Signatures carry the machine's time, as the app compares them with its own;
    ``skew_seconds`` makes the workspace's clock wrong on purpose.
    """

    def __init__(
        self,
        url: str,
        secret: str,
        *,
        ack_seconds: float = 3.0,
        wall: Callable[[], float] = time.time,
    ) -> None:
        address = urlsplit(url)
        self._host = require_loopback(address.hostname or "")
        self._port = address.port or 80
        self._path = address.path or "/"
        self._secret = secret
        self._wall = wall
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="workspace-http")
        self._lock = threading.Lock()
        self._closed = False
        self.ack_seconds = ack_seconds
        self.skew_seconds = 0.0

    def carry(
        self, delivery: Delivery, number: int, reason: str | None, done: Callable[[Answer], None]
    ) -> None:
        """Post in a thread of the pool."""
        body, content_type = encoded(delivery)
        headers = signed_headers(self._secret, body, self._wall() + self.skew_seconds)
        headers |= {"Content-Type": content_type, "User-Agent": "Slackbot 1.0 (local)"}
        if number:
            headers |= {
                "X-Slack-Retry-Num": str(number),
                "X-Slack-Retry-Reason": reason or "unknown_error",
            }
        with self._lock:
            if not self._closed:
                self._pool.submit(lambda: done(self._post(body, headers)))
                return
        done(Answer(failure="connection_failed"))

    def close(self) -> None:
        """Wait for what is on its way; what comes later fails."""
        with self._lock:
            self._closed = True
        self._pool.shutdown()

    def _post(self, body: bytes, headers: dict[str, str]) -> Answer:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=self.ack_seconds)
        try:
            connection.request("POST", self._path, body, headers)
            response = connection.getresponse()
            return _judged(response.status, response.read(), dict(response.getheaders()))
        except TimeoutError:
            return Answer(failure="http_timeout")
        except (OSError, http.client.HTTPException):
            return Answer(failure="connection_failed")
        finally:
            connection.close()


def encoded(delivery: Delivery) -> tuple[bytes, str]:
    """Return body and content type: events as JSON, interactions and commands as forms."""
    form = "application/x-www-form-urlencoded"
    match delivery.kind:
        case Kind.EVENT:
            return json.dumps(delivery.payload).encode("utf-8"), "application/json"
        case Kind.INTERACTIVE:
            return urlencode({"payload": json.dumps(delivery.payload)}).encode("ascii"), form
        case Kind.COMMAND:
            return urlencode(delivery.payload).encode("ascii"), form


def _judged(status: int, body: bytes, headers: dict[str, str]) -> Answer:
    lower = {name.lower(): value for name, value in headers.items()}
    no_retry = lower.get("x-slack-no-retry") == "1"
    if not 200 <= status < 300:  # noqa: PLR2004 - the class of HTTP statuses that mean success
        return Answer(failure="http_error", status=status, no_retry=no_retry)
    return Answer(status=status, body=_object(body, lower.get("content-type", "")))


def _object(body: bytes, content_type: str) -> dict[str, Any] | None:
    if not body:
        return None
    if not content_type.startswith("application/json"):
        return {"text": body.decode("utf-8", "replace")}
    value = json.loads(body)
    return value if isinstance(value, dict) else None
