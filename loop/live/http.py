"""The one module of this package that talks HTTP (with httpx, over connections of our own).

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

import httpcore
import httpx
from pydantic import SecretStr

from loop.attempts import Fault
from loop.errors import ServerRefused
from loop.live.connections import Connections
from loop.live.server import Server

__all__ = ["Answer", "Http", "HttpFault"]

CONNECT_S: Final = 10.0
"""Longest wait for a connection, in seconds; nothing was sent by then."""
MAX_ANSWER_BYTES: Final = 8_000_000
"""Longest answer that is read, in bytes after decompression."""
MAX_CONNECTIONS: Final = 20
_OURS: Final = 4
"""The class of statuses that say the fault is ours: another try does not help."""
SSE: Final = "text/event-stream"
KEPT_S: Final = 5.0
"""How long a connection is kept that nobody uses, in seconds (httpx's own)."""
UNREACHED: Final = (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.PoolTimeout)
"""Errors after which nothing was sent."""


class HttpFault(Exception):
    """No whole answer came. The message names nothing that was sent or read."""

    def __init__(self, fault: Fault, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.fault = fault
        self.status = status


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
        url = _checked(server)
        self.host: str = url.host
        self._reached = url.host if server.proxy is None else "the proxy"
        self._connections = Connections(monotonic)
        pool = httpcore.ConnectionPool(
            ssl_context=_trust(url, server.ca_file),
            proxy=None if server.proxy is None else _proxy(server.proxy),
            max_connections=MAX_CONNECTIONS,
            keepalive_expiry=KEPT_S,
            network_backend=self._connections,
        )
        self._client = httpx.Client(
            base_url=url, transport=_Transport(pool), follow_redirects=False, trust_env=False
        )

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
        try:
            with self._connections.call(timeout_s):
                response = self._client.send(request, stream=True)
                try:
                    return self._read(response, line)
                finally:
                    response.close()
        except httpcore.ProxyError as error:
            raise self._refused_by_proxy(error) from None
        except UNREACHED as error:
            raise self._unreached(error) from None
        except httpcore.TimeoutException:
            raise self._late() from None
        except (httpx.DecodingError, httpcore.RemoteProtocolError) as error:
            raise self._unread(error) from None
        except (httpcore.NetworkError, httpcore.ProtocolError):
            raise self._broken() from None

    def close(self) -> None:
        """Close the connections. Closing twice is allowed."""
        self._client.close()

    def _read(self, response: httpx.Response, line: Callable[[str], None]) -> Answer:
        answer = Answer(
            status=response.status_code,
            headers={name.lower(): value for name, value in response.headers.items()},
            body=b"",
        )
        if not answer.is_stream:
            body = b"".join(self._chunks(response))
            return Answer(status=answer.status, headers=answer.headers, body=body)
        for each in _lines(self._chunks(response)):
            line(each)
        return answer

    def _chunks(self, response: httpx.Response) -> Iterator[bytes]:
        read = 0
        for chunk in response.iter_bytes():
            read += len(chunk)
            if read > self._max_bytes:
                text = f"{self.host} answered with more than {self._max_bytes} bytes"
                raise HttpFault(Fault.GARBLED, text)
            yield chunk

    def _late(self) -> HttpFault:
        return HttpFault(Fault.TIMEOUT, f"{self.host} gave no whole reply in time")

    def _broken(self) -> HttpFault:
        text = f"the connection to {self.host} ended before the reply was whole"
        return HttpFault(Fault.BROKEN, text)

    def _refused_by_proxy(self, error: httpcore.ProxyError) -> HttpFault:
        status = int(str(error).partition(" ")[0])  # httpcore has it in its message alone
        if status // 100 == _OURS:
            text = "the proxy did not let the call through; nothing was sent"
            return HttpFault(Fault.PROXY_REFUSED, text, status)
        text = f"the proxy could not reach {self.host}; nothing was sent"
        return HttpFault(Fault.UNREACHABLE, text, status)

    def _unreached(self, error: Exception) -> HttpFault:
        if _is_certificate(error):
            text = f"the certificate of {self.host} is not one that is trusted here"
            return HttpFault(Fault.BAD_CERTIFICATE, f"{text}; ca_file names others")
        return HttpFault(Fault.UNREACHABLE, f"{self._reached} cannot be reached; nothing was sent")

    def _unread(self, error: Exception) -> HttpFault:
        # One class in httpcore for both ends.
        if "disconnected" in str(error) or "closed connection" in str(error):
            return self._broken()
        return HttpFault(Fault.GARBLED, f"{self.host} did not answer in HTTP")


class _Transport(httpx.BaseTransport):
    """Sends the requests of an ``httpx`` client over a pool of ``httpcore``.

    httpx has one of its own, which takes no connections from outside. Errors of the network are
    those of ``httpcore``.
    """

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the beginning of its answer."""
        url = request.url
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        return self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


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


def _proxy(address: SecretStr) -> httpcore.Proxy:
    try:
        proxy = httpx.Proxy(address.get_secret_value())
    except (httpx.InvalidURL, ValueError):
        raise ServerRefused("proxy_env", "names no address of a proxy") from None
    if proxy.url.scheme not in ("http", "https") or not proxy.url.host:
        raise ServerRefused("proxy_env", "names an address without http:// or https://")
    url = httpcore.URL(
        scheme=proxy.url.raw_scheme,
        host=proxy.url.raw_host,
        port=proxy.url.port,
        target=proxy.url.raw_path,
    )
    return httpcore.Proxy(url, auth=proxy.raw_auth)


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
