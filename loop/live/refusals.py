"""What a server's error means: its name, its reason, and what helps.

The status alone tells little: servers agree neither on codes nor on words. Codes are looked at
first, then words, then the status.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from loop.attempts import Fault
from loop.live.json_text import JsonBad, read_json

__all__ = ["MAX_REASON", "Refusal", "refusal_of", "said_of"]

MAX_REASON: Final = 300
"""Longest reason of a provider that is kept, in characters."""
MOST_SEARCHED: Final = 4 * MAX_REASON
"""What a refusal means is looked for in so many characters of its reason."""

_CODES: Final[Mapping[str, Fault]] = {
    "content_filter": Fault.CONTENT_FILTER,
    "responsibleaipolicyviolation": Fault.CONTENT_FILTER,
    "content_policy_violation": Fault.CONTENT_FILTER,
    "context_length_exceeded": Fault.CONTEXT_LENGTH,
    "exceed_context_size_error": Fault.CONTEXT_LENGTH,
    "insufficient_quota": Fault.QUOTA,
    "billing_not_active": Fault.QUOTA,
    "billing_hard_limit_reached": Fault.QUOTA,
    "invalid_api_key": Fault.BAD_KEY,
    "authentication_error": Fault.BAD_KEY,
    "model_not_found": Fault.UNKNOWN_MODEL,
    "deploymentnotfound": Fault.UNKNOWN_MODEL,
    "unsupported_parameter": Fault.UNKNOWN_FIELD,
    "unsupported_value": Fault.UNKNOWN_FIELD,
    "unknown_parameter": Fault.UNKNOWN_FIELD,
    "rate_limit_exceeded": Fault.RATE_LIMITED,
}
"""Codes and types of OpenAI, Azure and llama.cpp, in lower case."""

_WORDS: Final[tuple[tuple[re.Pattern[str], Fault], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), fault)
    for pattern, fault in (
        # vLLM and llama.cpp offer tools only where they were started so; Ollama by the model.
        (r"(?:not|n't) support (?:tools|functions?|tool|function)", Fault.NO_TOOLS),
        (r"(?:tools?|functions?)\b[^.]{0,60}(?:is|are) not supported", Fault.NO_TOOLS),
        (r"enable-auto-tool-choice|tool-call-parser|tools param requires", Fault.NO_TOOLS),
        (r"content (?:management|filter)|safety (?:policy|system)", Fault.CONTENT_FILTER),
        (r"context (?:length|window|size)|maximum (?:model|context) len", Fault.CONTEXT_LENGTH),
        (r"model\b.{0,120}(?:not found|does not exist|not exist)", Fault.UNKNOWN_MODEL),
        (r"unsupported (?:parameter|value)|extra inputs? (?:is|are) not", Fault.UNKNOWN_FIELD),
        (r"unknown (?:field|parameter)|unrecognized request argument", Fault.UNKNOWN_FIELD),
    )
)
"""Looked for in the reason of a status 400 to 499, in this order."""

_STATUSES: Final[Mapping[int, Fault]] = {
    401: Fault.BAD_KEY,
    402: Fault.QUOTA,
    403: Fault.BAD_KEY,
    404: Fault.UNKNOWN_ADDRESS,
    405: Fault.UNKNOWN_ADDRESS,
    407: Fault.PROXY_REFUSED,
    408: Fault.SERVER_ERROR,
    409: Fault.SERVER_ERROR,
    413: Fault.CONTEXT_LENGTH,
    429: Fault.RATE_LIMITED,
}

_RETRIED: Final = frozenset(
    {Fault.TIMEOUT, Fault.UNREACHABLE, Fault.BROKEN, Fault.RATE_LIMITED, Fault.SERVER_ERROR}
)

_HELP: Final[Mapping[Fault, str]] = {
    Fault.TIMEOUT: "timeout_s allows more",
    Fault.UNREACHABLE: "see that the server runs, base_url, and proxy_env where it is set",
    Fault.PROXY_REFUSED: "see the variable that proxy_env names",
    Fault.GARBLED: "see that base_url leads to Chat Completions",
    Fault.BAD_KEY: "see the variable that api_key_env names",
    Fault.UNKNOWN_MODEL: "see id, the name that the server knows",
    Fault.UNKNOWN_ADDRESS: "see base_url; it often ends in /v1",
    Fault.QUOTA: "the account has none left",
    Fault.CONTEXT_LENGTH: "the run is longer than the model can read",
    Fault.NO_TOOLS: 'ask = "json" does without tools',
    Fault.UNKNOWN_FIELD: "see length_field, tool_choice, schemas, reasoning_effort, temperature",
}
"""What to look at, in the words of ``[models.NAME]``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a try gave no reply."""

    fault: Fault
    reason: str
    """The provider's words, as they came; or ours."""
    status: int | None = None
    asked_wait_s: float | None = None
    begun: bool = False
    """Whether a part of a reply had come."""

    @property
    def is_retried(self) -> bool:
        """Whether another try may help."""
        return self.fault in _RETRIED


def refusal_of(status: int, body: bytes | Mapping[str, Any], wait_s: float | None) -> Refusal:
    """Return what an error answer means; ``body`` may be anything."""
    error = _error(body)
    reason = _reason(error)
    return Refusal(
        fault=_fault(status, error, reason[:MOST_SEARCHED]),
        reason=reason or "no reason was given",
        status=status,
        asked_wait_s=wait_s,
    )


def said_of(refusal: Refusal, hide: Callable[[str], str]) -> str:
    """Return the sentence for a refusal; ``hide`` takes the secrets out of the provider's words."""
    name = refusal.fault.value.replace("_", " ")
    status = "" if refusal.status is None else f" (HTTP {refusal.status})"
    reason = " ".join(hide(refusal.reason).split())
    cut = f"{reason[: MAX_REASON - 1]}…" if len(reason) > MAX_REASON else reason
    help_ = _HELP.get(refusal.fault)
    return f"{name}{status}: {cut}" + ("" if help_ is None else f"; {help_}")


def _fault(status: int, error: Mapping[str, Any], reason: str) -> Fault:
    by_code = next((_CODES[code] for code in _codes(error) if code in _CODES), None)
    if by_code is not None:
        return by_code
    match status // 100:
        case 3:
            return Fault.UNKNOWN_ADDRESS
        case 4:
            by_words = next((fault for words, fault in _WORDS if words.search(reason)), None)
            return by_words or _STATUSES.get(status, Fault.REFUSED)
        case _:
            return Fault.SERVER_ERROR


def _error(body: bytes | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object that holds the error: at the top, below ``error``, or a bare text."""
    value: Any = body
    if isinstance(body, bytes):
        try:
            value = read_json(body)
        except JsonBad:
            return {}
    if isinstance(value, list) and value:  # Gemini wraps its errors in a list
        value = value[0]
    if not isinstance(value, Mapping):
        return {}
    inner = value.get("error")
    if isinstance(inner, Mapping):
        return inner
    return {"message": inner} if isinstance(inner, str) else value


def _codes(error: Mapping[str, Any]) -> list[str]:
    inner = error.get("innererror")
    places = (error, inner if isinstance(inner, Mapping) else {})
    found = [place.get(name) for place in places for name in ("code", "type")]
    return [code.lower() for code in found if isinstance(code, str)]


def _reason(error: Mapping[str, Any]) -> str:
    found = error.get("message") or error.get("detail") or ""
    return found if isinstance(found, str) else ""
