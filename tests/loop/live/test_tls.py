"""Over TLS: certificates are checked, and a call ends with its time there too."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme

from loop import Fault, ProviderFailed, Retries
from tests.loop.live.asking import Asking, request
from tests.provider import DRIPS, completes, serving

ONCE = Retries(attempts=1)


@dataclass(frozen=True)
class Certified:
    """The certificate that vouches for a server's, and what makes the server use its own."""

    certificate: Path
    tls: ssl.SSLContext


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    """A certificate that nobody trusts who is not told to."""
    authority = trustme.CA()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    certificate = tmp_path_factory.mktemp("tls") / "authority.pem"
    authority.cert_pem.write_to_path(str(certificate))
    return Certified(certificate, tls)


def test_a_server_is_asked_whose_certificate_is_in_the_file(certified: Certified) -> None:
    with serving(completes("One."), completes("Two."), tls=certified.tls) as provider:
        asking = Asking(provider.url, ca_file=certified.certificate)
        replies = [asking.model.ask(request(), time_left_s=None) for _ in range(2)]

    assert [reply.text for reply in replies] == ["One.", "Two."]


def test_a_certificate_that_is_not_trusted_is_named_and_asked_once(certified: Certified) -> None:
    with serving(completes("never"), tls=certified.tls) as provider:
        asking = Asking(provider.url)
        with pytest.raises(ProviderFailed, match="ca_file names others") as caught:
            asking.model.ask(request(), time_left_s=None)

    assert [attempt.fault for attempt in caught.value.attempts] == [Fault.BAD_CERTIFICATE]
    assert provider.seen == []


def test_a_server_that_drips_is_late_behind_tls_too(certified: Certified) -> None:
    with serving(DRIPS["a header"], tls=certified.tls) as provider:
        asking = Asking(provider.url, ca_file=certified.certificate, retries=ONCE, timeout_s=0.5)
        with pytest.raises(ProviderFailed) as caught:
            asking.model.ask(request(), time_left_s=None)

    assert [attempt.fault for attempt in caught.value.attempts] == [Fault.TIMEOUT]


def test_a_server_that_never_shakes_hands_is_not_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(ProviderFailed) as caught:
            Asking(url, retries=ONCE, timeout_s=0.3).model.ask(request(), time_left_s=None)

    assert [attempt.fault for attempt in caught.value.attempts] == [Fault.UNREACHABLE]
