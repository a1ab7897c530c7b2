"""The bot under load: ``python -m tests.bench.bot`` prints the figures.

The bot is a process of its own; the workspace that it talks to, over real sockets and real HTTP, is
in this one, and so are the people. First the load: 50 events a second, one in ten a ticket and the
others replies in the threads of tickets, while 16 runs wait for a slow model, and now and then
somebody presses Approve. Everything is counted when all is at rest. Then another bot takes tickets
as fast as it can, to see what it needs of memory and disk; its clock runs a hundred times as fast,
or Slack's pace of a message a second in a channel would be all that is measured.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Final

from approvals.store import connect, rows
from bot.plan import Plan
from bot.slack.outside import Outside
from bot.slack.refs import ActionId
from bot.slack.serve import served
from bot.workspace import Channel, Delivery, Identity, Message, Workspace
from loop import Clock, Model, Reply, Request
from loop.testing import VirtualClock
from tests.harness.lives import begin, wait
from tests.scenarios.office import (
    ANN,
    BEN,
    BOT,
    is_at_rest,
    make_workspace,
    secrets_of,
    settings_for,
    shown,
)
from tests.scenarios.refunds import RefundModel, ticket_text, write_data

CHANNELS: Final = tuple(f"C0LOAD{n:02}" for n in range(20))
RUNS: Final = 16
EVENTS_A_SECOND: Final = 50
A_TICKET_EVERY: Final = 10
A_PRESS_EVERY: Final = 150
"""Events from one press to the next: three seconds."""
MODEL_S: Final = 4.0
"""What the slow model takes for a reply; a run has two."""
FAST: Final = 100
BACKLOG: Final = 200
"""Tickets under way at once when memory is measured."""
LOOK_EVERY: Final = 1000
"""Tickets from one look at the memory to the next."""
LOOK_S: Final = 0.005
LONGEST_S: Final = 1800.0


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=int, default=60, help="of load")
    options.add_argument("--tickets", type=int, default=10_000, help="until memory is read")
    asked = options.parse_args()
    if asked.seconds:
        with _bench(orders=asked.seconds * EVENTS_A_SECOND, slow=True) as bench:
            Load(bench).run(asked.seconds)
    if asked.tickets:
        with _bench(orders=asked.tickets, slow=False) as bench:
            _measure_memory(bench, asked.tickets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A bot, and the workspace that it is in."""

    folder: Path
    workspace: Workspace
    pid: int
    is_slow: Synchronized[int]
    """Whether the model takes its time; the bot reads it."""

    def post(self, number: int) -> Message:
        """Post a ticket."""
        channel = CHANNELS[number % len(CHANNELS)]
        return self.workspace.post(ANN, ticket_text(number), channel=channel)

    def memory_mb(self) -> float:
        """Return what the bot has in memory."""
        status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        line = next(each for each in status.splitlines() if each.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def numbers(self, *queries: str) -> list[int]:
        """Return the one number that each query gives."""
        with connect(self.store) as db:
            return [int(next(iter(rows(db, sql)[0].values()))) for sql in queries]

    def rest(self) -> None:
        """Wait until everything was delivered, done and posted."""
        self.workspace.settle(seconds=60)
        _await(lambda: is_at_rest(self.store))

    @property
    def store(self) -> Path:
        """The bot's file."""
        return self.folder / "handrail.sqlite3"


@contextmanager
def _bench(*, orders: int, slow: bool) -> Iterator[Bench]:
    """Start a bot, forked before this process has any thread, and a workspace for it."""
    is_slow: Synchronized[int] = multiprocessing.Value("i", 0)
    reads, writes = os.pipe()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_data(folder / "data", orders)
        pid = begin(partial(_serve, folder, reads, is_slow, 1 if slow else FAST))
        try:
            with make_workspace() as workspace:
                for name in CHANNELS:
                    members = (ANN, BEN, BOT)
                    workspace.put_channel(Channel(id=name, name=name.lower(), members=members))
                os.write(writes, f"{workspace.base_url}\n".encode())
                workspace.wait_for_sockets(seconds=60)
                yield Bench(folder=folder, workspace=workspace, pid=pid, is_slow=is_slow)
                os.kill(pid, signal.SIGTERM)
                wait(pid)
        finally:
            os.close(writes)
            os.close(reads)


def _serve(folder: Path, reads: int, is_slow: Synchronized[int], fast: int) -> None:
    """Be the bot."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    with os.fdopen(reads) as lines:
        api = lines.readline().strip()
    began_us = time.time_ns() // 1000

    def now_us() -> int:
        return began_us + (time.time_ns() // 1000 - began_us) * fast

    def play(plan: Plan) -> tuple[Model, Clock]:
        return SlowModel(plan, is_slow), VirtualClock()

    settings = settings_for(folder, api, data=folder / "data", channels=CHANNELS, workers=RUNS)
    with served(settings, secrets_of(Identity()), outside=Outside(play=play, now_us=now_us)):
        signal.sigwait({signal.SIGTERM})


class SlowModel:
    """Answers as the model of the refunds does, but takes its time where it is told to."""

    def __init__(self, plan: Plan, is_slow: Synchronized[int]) -> None:
        self._answers = RefundModel(plan)
        self._is_slow = is_slow

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        """Return the reply of a step."""
        if self._is_slow.value:
            time.sleep(MODEL_S)
        return self._answers.ask(request, time_left_s=time_left_s)


@dataclass(slots=True)
class Pressed:
    """A press on Approve, and when its answer was to be seen."""

    card: Message
    delivery: Delivery
    at: float
    answered_s: float | None = None


@dataclass(slots=True)
class Load:
    """What was sent, and what came of it."""

    bench: Bench
    tickets: list[Message] = field(default_factory=list)
    replies: int = 0
    pressed: list[Pressed] = field(default_factory=list)
    in_progress: list[int] = field(default_factory=list)

    def run(self, seconds: int) -> None:
        """Load the bot for so long, let it come to rest, and print the figures."""
        cards = self._prepare(1 + seconds * EVENTS_A_SECOND // A_PRESS_EVERY)
        self.bench.is_slow.value = 1
        before = len(self.bench.workspace.deliveries())
        started = time.monotonic()
        for number in range(seconds * EVENTS_A_SECOND):
            self._until(started + number / EVENTS_A_SECOND)
            if number % A_PRESS_EVERY == A_PRESS_EVERY - 1:
                self._press(cards.pop())
            self._send(number)
        took_s = time.monotonic() - started
        events = self.bench.workspace.deliveries()[before:]
        self.bench.is_slow.value = 0
        _await(self._look)
        self.bench.rest()
        self._print(events, took_s)

    def _prepare(self, number: int) -> list[Message]:
        """Post tickets whose cards will be there to be pressed."""
        for _ in range(number):
            self.tickets.append(self.bench.post(len(self.tickets)))
        self.bench.rest()
        found = [_card(self.bench.workspace, ticket) for ticket in self.tickets]
        return [card for card in found if card is not None]

    def _send(self, number: int) -> None:
        """Post a ticket, or a reply in the thread of one."""
        if number % A_TICKET_EVERY == 0:
            self.tickets.append(self.bench.post(len(self.tickets)))
            sql = "SELECT count(*) FROM threads WHERE state = 'running'"
            self.in_progress += self.bench.numbers(sql)
            return
        ticket = self.tickets[number % len(self.tickets)]
        text = f"He wrote again, for the {number}th time."
        self.bench.workspace.post(ANN, text, channel=ticket.channel, thread=ticket)
        self.replies += 1

    def _press(self, card: Message) -> None:
        delivery = self.bench.workspace.click(BEN, card, ActionId.APPROVE)
        self.pressed.append(Pressed(card, delivery, time.monotonic()))

    def _until(self, moment: float) -> None:
        """Look at the cards that were pressed until it is time for the next event."""
        while (left := moment - time.monotonic()) > 0:
            self._look()
            time.sleep(min(left, LOOK_S))

    def _look(self) -> bool:
        """Note which presses show by now; return whether all do."""
        waiting = [each for each in self.pressed if each.answered_s is None]
        for each in waiting:
            if ActionId.APPROVE not in shown(self.bench.workspace.latest(each.card)):
                each.answered_s = time.monotonic() - each.at
        return not any(each.answered_s is None for each in waiting)

    def _print(self, events: list[Delivery], took_s: float) -> None:
        acknowledged = [each for each in events if each.acknowledged]
        took = [each.attempts[-1].took_seconds * 1000 for each in acknowledged]
        answers = [each.answered_s * 1000 for each in self.pressed if each.answered_s is not None]
        kept, replies, inbox = self.bench.numbers(
            "SELECT count(*) FROM tickets",
            "SELECT count(*) FROM replies",
            "SELECT count(*) FROM inbox WHERE kind = 'message'",
        )
        finals, twice = _count_posts(self.bench.workspace, self.tickets)
        wanted = len(self.tickets) + self.replies
        _line("events a second", len(events) / took_s)
        _line("runs in progress, median", statistics.median(self.in_progress))
        _line("acknowledged, p50", statistics.median(took), "ms")
        _line("acknowledged, p99", statistics.quantiles(took, n=100)[-1], "ms")
        _line("acknowledged, longest", max(took), "ms")
        _line("press to its visible answer, p50", statistics.median(answers), "ms")
        _line("press to its visible answer, longest", max(answers), "ms")
        _line("events sent", len(events))
        _line("events not acknowledged", len(events) - len(acknowledged))
        _line("tickets and replies lost", wanted - kept - replies)
        _line("tickets and replies stored twice", inbox - wanted)
        _line("tickets without a final message", len(self.tickets) - len(finals))
        _line("messages posted twice", twice)
        _line("presses without an answer", len(self.pressed) - len(answers))


def _measure_memory(bench: Bench, tickets: int) -> None:
    """Take tickets as fast as it goes, and print what the bot needs by then."""
    _line("memory after the start", bench.memory_mb(), "MB")
    started = time.monotonic()
    for number in range(1, tickets + 1):
        bench.post(number - 1)
        if number % (BACKLOG // 2) == 0:
            _await(partial(_is_below, bench, number, BACKLOG))
        if number % LOOK_EVERY == 0 and number < tickets:
            _line(f"memory at {number:,} tickets", bench.memory_mb(), "MB")
    bench.rest()
    took_s = time.monotonic() - started
    _line(f"memory after {tickets:,} tickets", bench.memory_mb(), "MB")
    sizes = [each.stat().st_size for each in bench.folder.glob(f"{bench.store.name}*")]
    _line(f"store after {tickets:,} tickets", sum(sizes) / 1_000_000, "MB")
    _line("tickets a second, all the way", tickets / took_s)


def _is_below(bench: Bench, posted: int, backlog: int) -> bool:
    """Whether less than a backlog is under way: tickets without an end, messages not yet sent."""
    ended, unsent = bench.numbers(
        "SELECT count(*) FROM threads WHERE state = 'ended'",
        "SELECT count(*) FROM outbox WHERE state IN ('ready', 'sending')",
    )
    return max(posted - ended, unsent) < backlog


def _card(workspace: Workspace, ticket: Message) -> Message | None:
    replies = workspace.replies(ticket)
    return next((each for each in replies if ActionId.APPROVE in shown(each)), None)


def _count_posts(workspace: Workspace, tickets: list[Message]) -> tuple[set[str], int]:
    """Return the tickets with a draft, and how many messages share a key with an earlier one."""
    keys: Counter[str] = Counter()
    finals: set[str] = set()
    for ticket in tickets:
        for each in workspace.replies(ticket):
            key = str(((each.metadata or {}).get("event_payload") or {}).get("key", ""))
            keys[key] += bool(key)
            if "Draft for" in shown(each):
                finals.add(ticket.ts)
    return finals, sum(number - 1 for number in keys.values() if number > 1)


def _await(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + LONGEST_S
    while not condition():
        if time.monotonic() > ends:
            sys.exit(f"not done within {LONGEST_S:.0f} s")
        time.sleep(20 * LOOK_S)


def _line(name: str, value: float, unit: str = "") -> None:
    shown_value = f"{value:,.1f}" if unit else f"{value:,.0f}"
    print(f"{name:<44}{shown_value:>12} {unit}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
