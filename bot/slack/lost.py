"""Why a call of Slack's got no answer, in words that a person can act on."""

from __future__ import annotations

import ssl
from socket import gaierror
from urllib.error import URLError

from bot.slack.calls import Lost

__all__ = ["lost_text"]


def lost_text(method: str, lost: Lost) -> str:
    """Say what became of a call of this method that got no answer."""
    if isinstance(lost.error, URLError):
        return f"Slack was not reached for {method}: {_why(lost.error.reason)}"
    return f"{method} got no answer: {_why(lost.error) if lost.error else lost.code}"


def _why(error: BaseException | str) -> str:
    match error:
        case gaierror():
            return "the name of its host was not found"
        case ConnectionRefusedError():
            return "the connection was refused"
        case TimeoutError():
            return "the time was over"
        case ssl.SSLCertVerificationError():
            return f"its certificate is not trusted ({error.verify_message})"
        case ssl.SSLError():
            return "no TLS connection came about"
        case ConnectionError():
            return "the connection was cut off"
        case OSError() if error.strerror:
            return error.strerror.lower()
        case str():
            return error
        case _:
            return f"the answer could not be read ({type(error).__name__})"
