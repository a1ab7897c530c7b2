"""Calls of Slack's Web API, and what each came to, in four words that decide what happens next.

A call never happens inside a transaction, and never twice by itself: the client's own retry after
a lost connection is switched off, because the message of the first try may well have been posted.
"""

from __future__ import annotations

import http.client
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from approvals.store import assert_no_transaction

__all__ = ["Answer", "Calls", "Failure", "Limited", "Lost", "Refused", "Took", "web_client"]

CALL_TIMEOUT_S: Final = 10
"""How long a call may take. Slack answers in well under a second."""
DEFAULT_WAIT_S: Final = 30
"""How long to wait after an answer 429 that does not say for how long."""
_PASSING: Final = frozenset(
    """fatal_error internal_error request_timeout service_unavailable team_added_to_org
    update_failed""".split()
)
"""Errors of Slack's own that pass; part of what was asked may have been done (docs.slack.dev)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """Slack did it.

    ``scopes`` are those of the token, None where the answer does not name them.
    """

    data: Mapping[str, Any] = field(repr=False)
    scopes: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited:
    """Slack did not do it: too many calls of this method. Not before ``wait_s`` seconds."""

    wait_s: int
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Nobody knows: no answer, or one that leaves it open. ``code`` is for the log.

    ``error`` is what kept the answer away, where that was not Slack's own doing.
    """

    code: str
    error: Exception | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Slack did not do it and never will as it stands. ``code`` is Slack's name for why.

    ``needed`` is the scope that is missing, where it is that.
    """

    code: str
    method: str
    needed: str | None = None


Failure = Limited | Lost | Refused
Answer = Took | Failure


class Calls:
    """The Web API with the bot's token."""

    def __init__(self, client: WebClient) -> None:
        """``client`` should come from ``web_client``."""
        self._client = client

    def read(self, method: str, **args: Any) -> Answer:
        """Call a method that changes nothing. Its arguments go as a form: Slack reads no JSON.

        Raises:
            TransactionOpen: called inside ``tx()``.
        """
        return self._call(method, params=args)

    def write(self, method: str, args: Mapping[str, Any]) -> Answer:
        """Call a method that changes something.

        Raises:
            TransactionOpen: called inside ``tx()``.
        """
        return self._call(method, json=dict(args))

    def _call(self, method: str, **body: Any) -> Answer:
        assert_no_transaction()
        try:
            response = self._client.api_call(method, **body)
        except SlackApiError as error:
            return _read_error(method, error)
        except (OSError, http.client.HTTPException, ValueError) as error:
            # ValueError: a body that cannot be decoded
            return Lost(code=type(error).__name__, error=error)
        data: Any = response.data
        if not isinstance(data, dict):
            return Lost(code="no JSON")
        return Took(data=data, scopes=_scopes(response.headers))


def web_client(token: str, *, api: str, timeout_s: int = CALL_TIMEOUT_S) -> WebClient:
    """Return a client that tries everything once, and leaves what to say of it to whoever calls."""
    log = logging.getLogger("handrail.slack.web")
    log.setLevel(logging.CRITICAL)  # it would say each lost answer, and we say once what is wrong
    return WebClient(token=token, base_url=api, timeout=timeout_s, retry_handlers=[], logger=log)


def _read_error(method: str, error: SlackApiError) -> Answer:
    response = error.response
    status: int = response.status_code
    if status == http.HTTPStatus.TOO_MANY_REQUESTS:
        return Limited(wait_s=_wait_s(response.headers), method=method)
    if status != http.HTTPStatus.OK or not isinstance(response.data, dict):
        return Lost(code=f"HTTP {status}")
    code = str(response.data.get("error", "no error"))
    if code in ("ratelimited", "rate_limited"):
        return Limited(wait_s=_wait_s(response.headers), method=method)
    if code in _PASSING:
        return Lost(code=code)
    if "headers" in response.data or " " in code:  # the client's own words for no JSON
        return Lost(code="no JSON")
    needed = response.data.get("needed")
    return Refused(code=code, method=method, needed=needed if isinstance(needed, str) else None)


def _scopes(headers: Mapping[str, Any]) -> frozenset[str] | None:
    text = _header(headers, "x-oauth-scopes")
    return None if text is None else frozenset(filter(None, map(str.strip, text.split(","))))


def _header(headers: Mapping[str, Any], wanted: str) -> str | None:
    found = next((v for name, v in headers.items() if name.lower() == wanted), None)
    first = found[0] if isinstance(found, list) and found else found
    return None if first is None else str(first)


def _wait_s(headers: Mapping[str, Any]) -> int:
    text = _header(headers, "retry-after") or ""
    return max(1, int(text)) if text.isdecimal() else DEFAULT_WAIT_S
