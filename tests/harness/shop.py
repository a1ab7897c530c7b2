"""The shop in a process of its own: ``python -m tests.harness.shop FOLDER``.

It makes its own file in the folder, prints its address, and serves until its standard input ends.
Each write that it carries out is a line of the effect log ``FOLDER/effects.jsonl``; a repeat
under a known key is none.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.harness.chaos import Chaos
from tests.harness.effects import EffectLog, read_effects
from tests.harness.processes import LIMIT_S, module
from tests.harness.stock import write_stock
from tools import (
    PRACTICE_TODAY,
    PracticeGateway,
    PracticeServer,
    PracticeService,
    PracticeShop,
    Receipt,
)
from tools.practice.ledger import StoredWrite, reference_of
from tools.practice.service import Reply, Request
from tools.request import read_request

EFFECTS = "effects.jsonl"
QUIET = "/harness/quiet"
CALM = "/harness/calm"


class ShopProcess:
    """A running shop, as its tests see it."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url = url
        self._effects = folder / EFFECTS

    def effects(self) -> list[dict[str, Any]]:
        """Return the writes that were carried out, in their order."""
        return read_effects(self._effects)

    def wait_until_quiet(self) -> None:
        """Wait until no call is at work: whoever made them is dead, and they still count."""
        self._ask(QUIET)

    def calm(self) -> None:
        """End its chaos."""
        self._ask(CALM)

    def _ask(self, path: str) -> None:
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=LIMIT_S)
        connection.request("GET", path)
        connection.getresponse().read()
        connection.close()


@contextmanager
def shop_process(folder: Path, *options: str) -> Iterator[ShopProcess]:
    """Run a shop until the block ends."""
    folder.mkdir(exist_ok=True)
    process = module("tests.harness.shop", folder, *options)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url, "the shop did not start; its error is above"
        yield ShopProcess(folder, url)
    finally:
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    # The end of its input would end it too, but a forked child may hold a copy of the other end.
    process.terminate()
    process.communicate(timeout=LIMIT_S)


class NotingGateway(PracticeGateway):
    """The practice shop's writes, each noted once it is there."""

    def __init__(self, path: Path, effects: EffectLog) -> None:
        super().__init__(path, today=lambda: PRACTICE_TODAY)
        self._effects = effects

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:
        """Carry the write out as the practice shop does, and note it."""
        receipt = super().send(tool, request, key, timeout_s=timeout_s)
        if not receipt.repeated:
            self._note(tool, request, key)
        return receipt

    def _note(self, tool: str, request: bytes, key: str) -> None:
        write = read_request(request)
        self._effects.add(
            key=key, operation=write.operation_id, order=write.action.order_id, tool=tool
        )


class ForgetfulGateway(NotingGateway):
    """Carries out whatever arrives, as often as it arrives; only a look-up knows the keys."""

    def __init__(self, path: Path, effects: EffectLog) -> None:
        super().__init__(path, effects)
        self._writes: list[StoredWrite] = []

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:  # noqa: ARG002 (as the gateway)
        """Carry the write out, whatever its key."""
        write = read_request(request)
        stored = StoredWrite(
            key=key,
            operation_id=write.operation_id,
            ticket_id=write.ticket_id,
            tool=tool,
            order_id=write.action.order_id,
            request_sha256="",
            reference=reference_of(tool, f"{write.operation_id}-{len(self._writes)}"),
            summary={},
            made_on=PRACTICE_TODAY,
        )
        self._writes.append(stored)
        self._note(tool, request, key)
        return stored.receipt()

    def find(self, key: str) -> StoredWrite | None:
        """Return the first write under this key."""
        return next((replace(each) for each in list(self._writes) if each.key == key), None)


class _Service(PracticeService):
    """The practice service with addresses for the harness, and chaos where it is asked for."""

    def __init__(self, shop: PracticeShop, gateway: PracticeGateway, chaos: Chaos | None) -> None:
        super().__init__(shop, gateway)
        self._chaos = chaos
        self.server: _Server

    def answer(self, request: Request) -> Reply | None:
        if request.target == QUIET:
            self.server.wait_until_alone()
            return Reply(200, b"{}")
        if request.target == CALM:
            self._chaos = None
            return Reply(200, b"{}")
        if self._chaos is None:
            return super().answer(request)
        return self._chaos.answer(request, super().answer)


class _Server(PracticeServer):
    """Knows how many connections are open. They are counted in the order that they come in."""

    def __init__(self, service: _Service) -> None:
        super().__init__(service)
        service.server = self
        self._open = 0
        self._changed = threading.Condition()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._changed:
            self._open += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._changed:
            self._open -= 1
            self._changed.notify_all()

    def wait_until_alone(self) -> None:
        """Wait until the caller's own connection is the only one."""
        with self._changed:
            self._changed.wait_for(lambda: self._open <= 1, timeout=LIMIT_S)


def main() -> None:
    """Serve."""
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("--orders", type=int, default=1000)
    options.add_argument("--forgetful", action="store_true")
    options.add_argument("--chaos", type=int, help="the seed of its faults")
    asked = options.parse_args()
    kind = ForgetfulGateway if asked.forgetful else NotingGateway
    chaos = None if asked.chaos is None else Chaos(random.Random(asked.chaos))
    write_stock(asked.folder / "stock", asked.orders)
    with ExitStack() as stack:
        file = asked.folder / "shop.db"
        shop = stack.enter_context(PracticeShop.from_folder(asked.folder / "stock", path=file))
        log = EffectLog(asked.folder / EFFECTS)
        gateway = stack.enter_context(kind(file, log))
        server = stack.enter_context(_Server(_Service(shop, gateway, chaos)))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        print(server.url, flush=True)
        sys.stdin.read()
        server.shutdown()
        thread.join()


if __name__ == "__main__":
    main()
