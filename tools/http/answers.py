"""What an answer of the documented contract means (``docs/shop_http.md``).

A status alone proves little: a proxy answers too, in HTML. So what would have us believe that
something does not exist, or was not done, counts only with the contract's own JSON code.
"""

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
    ShopUnavailable,
)
from tools.http.client import Answer

__all__ = ["KEY_MISMATCH", "NOT_ACTED", "NOT_FOUND", "body_of", "json_of", "retry_after"]

NOT_FOUND: Final = "not_found"
NOT_ACTED: Final = "not_acted"
KEY_MISMATCH: Final = "key_mismatch"
MAX_RETRY_AFTER_S: Final = 86_400
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_SECONDS: Final = re.compile(r"[0-9]{1,6}", re.ASCII)


def body_of(answer: Answer) -> bytes:
    """Return the JSON bytes of an answer that says that all went well.

    Raises:
        ShopError: what the answer means when it says anything else.
    """
    if answer.status not in (200, 201):
        raise _meaning(answer)
    if not answer.is_json or not answer.body:
        raise ShopGarbled("the service answered with something that is not JSON")
    return answer.body


def json_of(answer: Answer) -> dict[str, Any]:
    """Return the JSON object of an answer that says that all went well; raises as above."""
    return _object(body_of(answer))


def retry_after(answer: Answer) -> int | None:
    """Return the wait that the service asks for, in seconds; dates are not read."""
    text = answer.headers.get("retry-after", "").strip()
    return min(int(text), MAX_RETRY_AFTER_S) if _SECONDS.fullmatch(text) else None


def _meaning(answer: Answer) -> ShopError:
    """Return the error that an answer other than success stands for."""
    status, code = answer.status, _code(answer)
    match status:
        case 408 | 502 | 504:  # said by what stands before the service, which may still be at work
            return ShopTimeout(f"the service did not answer in time (status {status})")
        case _ if 400 <= status < 500:  # noqa: PLR2004 (the class of refusals)
            return _refusal(answer, code)
        case 503 if code == NOT_ACTED:
            return ShopUnavailable("the service cannot act now and did not")
        case _ if status >= 500:  # noqa: PLR2004 (the class of failures)
            return ShopBroke(f"the service failed (status {status}); it may or may not have acted")
        case _:
            return ShopGarbled(f"the service answered with status {status}")


def _refusal(answer: Answer, code: str | None) -> ShopError:
    status = answer.status
    match status:
        case 401 | 403:
            return ShopDenied(f"the service refuses this caller (status {status})")
        case 404 if code == NOT_FOUND:
            return NotFound("the service has no such thing")
        case 404:
            return ShopGarbled("the address is not a service of the contract (status 404)")
        case 409:
            return ShopConflict("a write with the same key is in flight")
        case 422 if code == KEY_MISMATCH:
            return ShopMismatch("the key was used for a write with another body")
        case 429:
            return ShopBusy("the service asks for a pause", retry_after_s=retry_after(answer))
        case _:
            named = code or f"http_{status}"
            return ShopInvalid(f"the service refuses the request ({named})", code=named)


def _code(answer: Answer) -> str | None:
    """Return the contract's code of a refusal; the text beside it is never used."""
    if not answer.is_json:
        return None
    try:
        code = _object(answer.body).get("code")
    except ShopGarbled:
        return None
    return code if isinstance(code, str) and _CODE.fullmatch(code) else None


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = parse_json(body.decode("utf-8"))
    except (UnicodeDecodeError, JsonRefused):
        raise ShopGarbled("the service answered with JSON that cannot be read") from None
    if not isinstance(value, dict):
        raise ShopGarbled("the service answered with JSON that is not an object")
    return value
