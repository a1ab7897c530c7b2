"""The one module of this package that talks HTTP (with httpx).

A call has one of two ends: an answer, whatever its status, or a ``ShopError`` that says whether
the service may have acted. Nothing is retried and no redirect is followed: the caller decides.
"""

from __future__ import annotations

import ipaddress
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self
from urllib.parse import quote

import httpx
from pydantic import SecretStr

from tools.errors import ClientRefused, ShopGarbled, ShopInvalid, ShopTimeout, ShopUnavailable

__all__ = ["Answer", "HttpClient", "path_of", "secret_from"]

CONNECT_S: Final = 5.0
"""Longest wait for a connection, in seconds; nothing was sent by then."""
MAX_ANSWER_BYTES: Final = 1_000_000
"""Longest answer that is read, in bytes after decompression."""
MAX_CONNECTIONS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a service answered. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_json(self) -> bool:
        """Whether the service says that the body is JSON."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        return kind == "application/json" or kind.endswith("+json")


class HttpClient:
    """Calls one service. Safe to use from several threads."""

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, SecretStr] | None = None,
        ca_file: Path | None = None,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare the calls; nothing is sent yet.

        Args:
            base_url: ``https://host[:port][/path]``; plain ``http`` is for this machine only.
            headers: sent with every call; the place for what authenticates us.
            ca_file: certificates to trust in place of the public ones. Certificates are always
                checked. Proxies and other settings of the environment are not used.
            max_answer_bytes: a longer answer counts as unreadable.
            monotonic: seconds that only grow, for the whole time of a call.

        Raises:
            ClientRefused: the address or the certificates cannot be used.
        """
        self._max_bytes = max_answer_bytes
        self._monotonic = monotonic
        url = _checked(base_url)
        self._http = httpx.Client(
            base_url=url,
            headers={name: secret.get_secret_value() for name, secret in (headers or {}).items()},
            verify=_trust(ca_file),
            follow_redirects=False,
            trust_env=False,
            limits=httpx.Limits(max_connections=MAX_CONNECTIONS),
        )
        self.host: str = url.host

    def get(
        self,
        path: str,
        *,
        timeout_s: float,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Read. Raises as :meth:`post` does."""
        request = self._http.build_request("GET", path, params=params, headers=headers)
        return self._call(request, timeout_s)

    def post(
        self, path: str, *, body: bytes, headers: Mapping[str, str], timeout_s: float
    ) -> Answer:
        """Send the body as it is, once.

        Raises:
            ShopUnavailable: no connection came about, so nothing was sent.
            ShopTimeout: no whole answer within ``timeout_s`` seconds, or the connection broke.
            ShopGarbled: the answer is too long or is not HTTP.
        """
        request = self._http.build_request("POST", path, content=body, headers=headers)
        return self._call(request, timeout_s)

    def close(self) -> None:
        """Close the connections. Closing twice is allowed."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, request: httpx.Request, timeout_s: float) -> Answer:
        request.extensions["timeout"] = httpx.Timeout(
            timeout_s, connect=min(timeout_s, CONNECT_S), pool=min(timeout_s, CONNECT_S)
        ).as_dict()
        ends = self._monotonic() + timeout_s
        try:
            response = self._http.send(request, stream=True)
            try:
                body = self._read(response, ends)
            finally:
                response.close()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise ShopUnavailable(f"{self.host} cannot be reached; nothing was sent") from error
        except (httpx.DecodingError, httpx.RemoteProtocolError) as error:
            raise self._unread(error) from error
        except httpx.TransportError as error:
            raise ShopTimeout(f"{self.host} gave no answer in time") from error
        return Answer(
            status=response.status_code,
            headers={name.lower(): value for name, value in response.headers.items()},
            body=body,
        )

    def _read(self, response: httpx.Response, ends: float) -> bytes:
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > self._max_bytes:
                raise ShopGarbled(f"{self.host} answered with more than {self._max_bytes} bytes")
            # httpx bounds each wait, not their sum: a service may send one byte at a time.
            if self._monotonic() > ends:
                raise ShopTimeout(f"{self.host} did not finish its answer in time")
        return bytes(body)

    def _unread(self, error: httpx.HTTPError) -> ShopTimeout | ShopGarbled:
        # One class in httpx; both ends leave it open whether the service acted.
        if "disconnected" in str(error) or "closed connection" in str(error):
            return ShopTimeout(f"{self.host} closed the connection before its answer was whole")
        return ShopGarbled(f"{self.host} did not answer in HTTP")


def path_of(*parts: str) -> str:
    """Return the parts as one path; whatever a part holds, it stays one part.

    Raises:
        ShopInvalid: a part is empty or dots alone, which would name another path.
    """
    if any(part.strip(".") == "" for part in parts):
        raise ShopInvalid("an id is empty or dots alone", code="invalid_id")
    return "/" + "/".join(quote(part, safe="") for part in parts)


def secret_from(environ: Mapping[str, str], name: str, *, prefix: str = "") -> SecretStr:
    """Return the value of a header that authenticates us, from a variable of the environment.

    Args:
        environ: the environment.
        name: the variable's name.
        prefix: stands before the value, such as ``"Bearer "``.

    Raises:
        ClientRefused: the variable is missing or empty, or holds what no header may hold.
    """
    value = environ.get(name, "").strip()
    if not value or not (value.isascii() and value.isprintable()):
        raise ClientRefused(f"set the variable {name} to the secret that the service knows us by")
    return SecretStr(prefix + value)


def _checked(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        raise ClientRefused("the address of the service is no URL") from None
    if url.userinfo or url.query or url.fragment:
        raise ClientRefused(
            "the address of a service holds host and path alone; secrets belong into a header"
        )
    if url.scheme == "https" and url.host:
        return url
    if url.scheme == "http" and _is_loopback(url.host):
        return url
    raise ClientRefused("the address of a service begins with https://; http:// is for loopback")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _trust(ca_file: Path | None) -> ssl.SSLContext:
    if ca_file is None:
        return httpx.create_ssl_context(trust_env=False)
    try:
        return ssl.create_default_context(cafile=str(ca_file))
    except (OSError, ssl.SSLError):
        raise ClientRefused(f"the certificates in {ca_file} cannot be used") from None
