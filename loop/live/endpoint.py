"""One try at one server: a request's bytes go out, a completion or a refusal comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic import SecretStr

from loop.attempts import Fault
from loop.errors import ServerRefused
from loop.live.body import path_of, query_of
from loop.live.completion import Completion, Misshapen, completion_of
from loop.live.http import Answer, Http, HttpFault
from loop.live.json_text import JsonBad, read_json
from loop.live.own_key import OwnKey
from loop.live.refusals import Refusal, refusal_of
from loop.live.server import Server, Style
from loop.live.stream import Pieces, Progress
from loop.live.waits import asked_wait_s
from loop.redact import Redactor

__all__ = ["Endpoint"]

MOST_REDACTED: Final = 20_000
"""Secrets are looked for in so many characters of a reason, of which far fewer are shown."""
OK: Final = 200
UNNAMED: Final = 500
"""Stands for the status of an error that names none."""


class Endpoint:
    """The way to one model's server. Safe to use from several threads.

    Raises:
        ServerRefused: the address, the proxy, the key or the certificates cannot be used.
    """

    def __init__(self, server: Server, utc: Callable[[], float]) -> None:
        self._server = server
        self._secret = _secret_headers(server)
        self._own_key = OwnKey(server.api_key)
        self._http = Http(server)
        self._utc = utc
        self._redactor = Redactor()

    def try_once(
        self,
        body: bytes,
        *,
        timeout_s: float,
        on_progress: Callable[[Progress], None],
        on_piece: Callable[[], None],
    ) -> Completion | Refusal:
        """Send the body once and read what comes back, in one piece or in many.

        What ``on_piece`` raises, called as each line of a stream comes, ends the reading.
        """
        pieces = Pieces(on_progress)

        def line(text: str) -> None:
            pieces.line(text)
            on_piece()

        try:
            answer = self._http.post(
                path_of(self._server),
                body=body,
                secret_headers=self._secret,
                params=query_of(self._server),
                timeout_s=timeout_s,
                line=line,
            )
        except HttpFault as error:
            return Refusal(fault=error.fault, reason=str(error), status=error.status)
        try:
            return self._read(answer, pieces)
        except Misshapen as error:
            return self._garbled(f"is no chat completion: {error}")
        except JsonBad:
            return self._garbled("is not JSON")

    def hidden(self, text: str) -> str:
        """Return a provider's words without our key and without what looks like a secret."""
        # The key first: what is collapsed or cut before it may hold half of one.
        shown = " ".join(self._own_key.out_of(text).split())
        return self._redactor.text(shown[:MOST_REDACTED])

    def close(self) -> None:
        """Close the connections. Closing twice is allowed."""
        self._http.close()

    def _read(self, answer: Answer, pieces: Pieces) -> Completion | Refusal:
        wait_s = asked_wait_s(answer.headers, self._utc)
        if answer.status != OK:
            return refusal_of(answer.status, answer.body, wait_s)
        if answer.is_stream and pieces.error is None and not pieces.is_whole:
            reason = f"{self._http.host} ended its reply before it was whole"
            return Refusal(fault=Fault.BROKEN, reason=reason)
        value = _value(answer, pieces)
        if value.get("error"):  # some gateways answer 200 all the same
            refusal = refusal_of(_status_in(value), value, wait_s)
            return replace(refusal, begun=pieces.has_begun)
        return self._own_key.out_of_completion(completion_of(value))

    def _garbled(self, problem: str) -> Refusal:
        reason = f"what {self._http.host} sent {problem}"
        return Refusal(fault=Fault.GARBLED, reason=reason, status=OK)


def _value(answer: Answer, pieces: Pieces) -> Mapping[str, Any]:
    if answer.is_stream:
        return pieces.value() if pieces.error is None else pieces.error
    value = read_json(answer.body)
    if not isinstance(value, dict):
        raise Misshapen("not an object")
    return value


def _status_in(value: Mapping[str, Any]) -> int:
    """Return the status that an error names inside an answer of 200; 500 where it names none."""
    error = value["error"]
    code = error.get("code") if isinstance(error, Mapping) else None
    if type(code) is int and code // 100 in (4, 5):
        return code
    return UNNAMED


def _secret_headers(server: Server) -> dict[str, SecretStr]:
    """Return the header that authenticates us.

    Raises:
        ServerRefused: the key holds what no header may hold.
    """
    if server.api_key is None:
        return {}
    key = server.api_key.get_secret_value()
    if not key or not (key.isascii() and key.isprintable()) or key != key.strip():
        raise ServerRefused("api_key_env", "names a variable that is empty, or holds no key")
    match server.style:
        case Style.OPENAI:
            return {"Authorization": SecretStr(f"Bearer {key}")}
        case Style.AZURE:
            return {"api-key": SecretStr(key)}
