"""What an answer of Stripe's means: its statuses and the type and code of its errors."""

from __future__ import annotations

import re
from typing import Any, Final

from tools.canonical import parse_json
from tools.errors import (
    JsonRefused,
    NotFound,
    ShopBroke,
    ShopBusy,
    ShopConflict,
    ShopDenied,
    ShopError,
    ShopGarbled,
    ShopInvalid,
    ShopMismatch,
    ShopTimeout,
)
from tools.http.answers import retry_after
from tools.http.client import Answer

__all__ = ["object_of", "text_field"]

MAX_ID_CHARS: Final = 255
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,59}")


def object_of(answer: Answer) -> dict[str, Any]:
    """Return the object of an answer that says that all went well.

    Raises:
        ShopError: what the answer means when it says anything else.
    """
    if answer.status == 200:  # noqa: PLR2004 (OK)
        return _parsed(answer)
    raise _meaning(answer)


def text_field(value: dict[str, Any], name: str) -> str:
    """Return a field that must be a short text.

    Raises:
        ShopGarbled: it is missing or something else.
    """
    found = value.get(name)
    if not isinstance(found, str) or not 0 < len(found) <= MAX_ID_CHARS:
        raise ShopGarbled(f"Stripe's answer has no {name}")
    return found


def _meaning(answer: Answer) -> ShopError:
    status = answer.status
    match status:
        case 400 if _error(answer).get("type") == "idempotency_error":
            return ShopMismatch("Stripe holds another request under this key")
        case 401 | 403:
            return ShopDenied(f"Stripe refuses our key (status {status})")
        case 404:
            return _missing(answer)
        case 409:
            return ShopConflict("Stripe is still at work on a request with this key")
        case 429:
            return ShopBusy("Stripe asks for a pause", retry_after_s=retry_after(answer))
        case _ if 400 <= status < 500:  # noqa: PLR2004 (the class of refusals)
            code = _code(answer) or f"http_{status}"
            return ShopInvalid(f"Stripe refuses the refund ({code})", code=code)
        case 502 | 504:
            return ShopTimeout(f"Stripe did not answer in time (status {status})")
        case _ if status >= 500:  # noqa: PLR2004 (the class of failures)
            return ShopBroke(f"Stripe failed (status {status}); it may or may not have acted")
        case _:
            return ShopGarbled(f"Stripe answered with status {status}")


def _missing(answer: Answer) -> ShopError:
    if _code(answer) == "resource_missing":
        return NotFound("Stripe has no such payment or refund in this account")
    return ShopGarbled("the address is not Stripe's (status 404)")


def _code(answer: Answer) -> str | None:
    code = _error(answer).get("code")
    return code if isinstance(code, str) and _CODE.fullmatch(code) else None


def _error(answer: Answer) -> dict[str, Any]:
    """Return the error object; its message is never used: it may repeat what we sent."""
    try:
        error = _parsed(answer).get("error")
    except ShopGarbled:
        return {}
    return error if isinstance(error, dict) else {}


def _parsed(answer: Answer) -> dict[str, Any]:
    try:
        value = parse_json(answer.body.decode("utf-8"))
    except (UnicodeDecodeError, JsonRefused):
        raise ShopGarbled("Stripe's answer is not JSON") from None
    if not isinstance(value, dict):
        raise ShopGarbled("Stripe's answer is not an object")
    return value
