"""The one module of this package that talks HTTP (with httpx).

A call has one of two ends: a whole answer, whatever its status, or an :class:`HttpFault` that says
what happened. Nothing is retried, and no redirect is followed: the caller decides.
"""

from __future__ import annotations

import ipaddress
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
from pydantic import SecretStr

from loop.attempts import Fault
from loop.errors import ServerRefused
from loop.live.server import Server

__all__ = ["Answer", "Http", "HttpFault"]

CONNECT_S: Final = 10.0
"""Longest wait for a connection, in seconds; nothing was sent by then."""
MAX_ANSWER_BYTES: Final = 8_000_000
"""Longest answer that is read, in bytes after decompression."""
MAX_CONNECTIONS: Final = 20
SSE: Final = "text/event-stream"
UNREACHED: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
)
"""Errors after which nothing was sent."""


class HttpFault(Exception):
    """No whole answer came. The message names nothing that was sent or read."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a server answered. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    """Empty where the answer was a stream, whose lines went to the caller as they came."""

    @property
    def is_stream(self) -> bool:
        """Whether the answer was a stream of events."""
        return self.status == httpx.codes.OK and _kind(self.headers) == SSE


class Http:
    """Posts to one server. Safe to use from several threads.

    Raises:
        ServerRefused: the address, the proxy, the key or the certificates cannot be used.
    """

    def __init__(
        self,
        server: Server,
        *,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_bytes = max_answer_bytes
        self._monotonic = monotonic
        url = _checked(server)
        self.host: str = url.host
        try:
            self._client = httpx.Client(
                base_url=url,
                verify=_trust(url, server.ca_file),
                proxy=None if server.proxy is None else server.proxy.get_secret_value(),
                follow_redirects=False,
                trust_env=False,
                limits=httpx.Limits(max_connections=MAX_CONNECTIONS),
            )
        except (httpx.InvalidURL, ValueError):
            raise ServerRefused("proxy", "is no address of a proxy") from None

    def post(
        self,
        path: str,
        *,
        body: bytes,
        secret_headers: Mapping[str, SecretStr],
        params: Mapping[str, str],
        timeout_s: float,
        line: Callable[[str], None],
    ) -> Answer:
        """Send the body once and return the whole answer.

        A stream of events is read to its end, each of its lines given to ``line`` as it comes.

        Raises:
            HttpFault: no whole answer within ``timeout_s`` seconds, or none at all.
        """
        headers = {name: secret.get_secret_value() for name, secret in secret_headers.items()}
        headers["Content-Type"] = "application/json"
        request = self._client.build_request(
            "POST", path, content=body, headers=headers, params=params
        )
        request.extensions["timeout"] = httpx.Timeout(
            timeout_s, connect=min(timeout_s, CONNECT_S), pool=min(timeout_s, CONNECT_S)
        ).as_dict()
        ends = self._monotonic() + timeout_s
        try:
            response = self._client.send(request, stream=True)
            try:
                return self._read(response, ends, line)
            finally:
                response.close()
        except UNREACHED as error:
            raise self._unreached(error) from None
        except httpx.TimeoutException:
            raise self._late() from None
        except (httpx.DecodingError, httpx.RemoteProtocolError) as error:
            raise self._unread(error) from None
        except httpx.TransportError:
            raise self._broken() from None

    def close(self) -> None:
        """Close the connections. Closing twice is allowed."""
        self._client.close()

    def _read(self, response: httpx.Response, ends: float, line: Callable[[str], None]) -> Answer:
        answer = Answer(
            status=response.status_code,
            headers={name.lower(): value for name, value in response.headers.items()},
            body=b"",
        )
        if not answer.is_stream:
            body = b"".join(self._chunks(response, ends))
            return Answer(status=answer.status, headers=answer.headers, body=body)
        for each in _lines(self._chunks(response, ends)):
            line(each)
        return answer

    def _chunks(self, response: httpx.Response, ends: float) -> Iterator[bytes]:
        read = 0
        for chunk in response.iter_bytes():
            read += len(chunk)
            if read > self._max_bytes:
                text = f"{self.host} answered with more than {self._max_bytes} bytes"
                raise HttpFault(Fault.GARBLED, text)
            # httpx bounds each wait, not their sum: a server may send one byte at a time.
            if self._monotonic() > ends:
                raise self._late()
            yield chunk

    def _late(self) -> HttpFault:
        return HttpFault(Fault.TIMEOUT, f"{self.host} gave no whole reply in time")

    def _broken(self) -> HttpFault:
        text = f"the connection to {self.host} ended before the reply was whole"
        return HttpFault(Fault.BROKEN, text)

    def _unreached(self, error: httpx.HTTPError) -> HttpFault:
        if _is_certificate(error):
            text = f"the certificate of {self.host} is not one that is trusted here"
            return HttpFault(Fault.BAD_CERTIFICATE, f"{text}; ca_file names others")
        return HttpFault(Fault.UNREACHABLE, f"{self.host} cannot be reached; nothing was sent")

    def _unread(self, error: httpx.HTTPError) -> HttpFault:
        # One class in httpx for both ends.
        if "disconnected" in str(error) or "closed connection" in str(error):
            return self._broken()
        return HttpFault(Fault.GARBLED, f"{self.host} did not answer in HTTP")


def _lines(chunks: Iterator[bytes]) -> Iterator[str]:
    """Yield the lines of a stream of events; a last one without an end is not yielded.

    A line ends by CR LF or LF; other breaks of Unicode may stand inside a text.
    """
    kept = b""
    for chunk in chunks:
        *whole, kept = (kept + chunk).replace(b"\r\n", b"\n").split(b"\n")
        yield from (each.rstrip(b"\r").decode("utf-8", "replace") for each in whole)


def _kind(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _checked(server: Server) -> httpx.URL:
    try:
        url = httpx.URL(server.base_url)
    except httpx.InvalidURL:
        raise ServerRefused("base_url", "is no address") from None
    if url.userinfo or url.query or url.fragment:
        raise ServerRefused(
            "base_url", "holds host and path alone; a key belongs into its variable"
        )
    if url.scheme not in ("http", "https") or not url.host:
        raise ServerRefused("base_url", "begins with https://, or http:// on this machine")
    if url.scheme == "http" and not (server.plain_http or _is_loopback(url.host)):
        raise ServerRefused(
            "base_url", "is plain http to another machine; plain_http = true allows it"
        )
    return url


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _trust(url: httpx.URL, ca_file: Path | None) -> ssl.SSLContext:
    if url.scheme == "http" and ca_file is None:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody, and loads in no time
    if ca_file is None:
        return httpx.create_ssl_context(trust_env=False)
    try:
        return ssl.create_default_context(cafile=str(ca_file))
    except (OSError, ssl.SSLError):
        raise ServerRefused("ca_file", "holds no certificates that can be used") from None


def _is_certificate(error: BaseException) -> bool:
    """Whether a failed connection failed at the certificate, which another try does not mend."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
