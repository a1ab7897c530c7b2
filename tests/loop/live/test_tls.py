"""Over TLS: certificates are checked, and a call ends with its time there too."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from loop import Fault, ProviderFailed, Retries
from tests.loop.live.asking import Asking, request
from tests.provider import DRIPS, completes, serving

ONCE = Retries(attempts=1)
OPENSSL = shutil.which("openssl")


@dataclass(frozen=True)
class Certified:
    """A server's certificate, and what makes it serve with it."""

    certificate: Path
    tls: ssl.SSLContext


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    """A certificate that nobody trusts who is not told to."""
    if OPENSSL is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    asked = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split()
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([OPENSSL, *asked, *names, *files], check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
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
