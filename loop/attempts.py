"""What came of one try to get a model's reply that failed, and its name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["Attempt", "Fault"]

_GATEWAY_TIMEOUTS: Final = frozenset({504, 524})
"""A gateway did not wait for the model any longer, which may have gone on (524 is Cloudflare's)."""


class Fault(StrEnum):
    """Why a try gave no reply. ``docs/models.md`` says what each means and what helps."""

    TIMEOUT = "timeout"
    """No whole reply in time."""
    UNREACHABLE = "unreachable"
    """No connection came about; nothing was sent."""
    BROKEN = "broken"
    """The connection ended before the reply was whole."""
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    """Status 5xx, 408 or 409."""
    GARBLED = "garbled"
    """Not HTTP, not JSON, too long, or not of the form of Chat Completions."""
    PROXY_REFUSED = "proxy_refused"
    """The proxy did not let the call through."""
    BAD_CERTIFICATE = "bad_certificate"
    BAD_KEY = "bad_key"
    UNKNOWN_MODEL = "unknown_model"
    UNKNOWN_ADDRESS = "unknown_address"
    """The server knows no such path, or sends us elsewhere."""
    QUOTA = "quota"
    """No money or tokens are left; another try does not help."""
    CONTEXT_LENGTH = "context_length"
    CONTENT_FILTER = "content_filter"
    NO_TOOLS = "no_tools"
    """The model or its server does not offer tool calling."""
    UNKNOWN_FIELD = "unknown_field"
    """The server does not take a field, or a value of it."""
    REFUSED = "refused"
    """Another refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try that gave no reply."""

    fault: Fault
    status: int | None
    """The HTTP status; None where there was none."""
    latency_us: int
    """How long the try took, in microseconds."""
    asked_wait_us: int | None
    """The wait that the provider asked for, in microseconds."""
    waited_us: int
    """The wait before the next try, in microseconds; 0 where there was none."""
    begun: bool = False
    """Whether a part of a reply had come when it ended."""

    @property
    def may_have_cost(self) -> bool:
        """Whether the provider may have worked on it, and so may count it."""
        silent = self.fault in (Fault.TIMEOUT, Fault.BROKEN, Fault.GARBLED)
        return silent or self.begun or self.status in _GATEWAY_TIMEOUTS
