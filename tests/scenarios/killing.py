"""A bot that is killed over and over, a supervisor that starts it again, and one person.

The workspace is in this process, so that everything the bot said can be counted; the bot is forked
from a nursery. The person posts tickets, presses Approve once a card shows, and presses again only
where Slack would show them that nobody took the press. They may change a ticket, by an edit of its
text or by a follow-up: each change adds a note, and an answer names the notes that it read.
"""

from __future__ import annotations

import os
import queue
import random
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from bot.slack.refs import ActionId
from bot.workspace import Delivery, Message, TookTooLong
from tests.harness.effects import read_effects
from tests.harness.lives import KILLED
from tests.harness.processes import module
from tests.harness.stock import order
from tests.scenarios.fuse import COMMITS, FUSE, Fuse
from tests.scenarios.office import ANN, BEN, CHANNEL, LOOK_S, Office, office, shown
from tests.scenarios.refunds import NOTES, SLOW, notes_in, ticket_text, write_data

LONGEST_S = 90
MANY = 4
"""A kind of commit of which a ticket has more than so many is met in the middle as well."""
SHORTEST_LIFE_S, LONGEST_LIFE_S = 0.2, 1.5
"""Between two kills at random instants; a start takes about 0.2 s."""


class Ticket:
    """One ticket: its message, how it is changed, and the presses on its card.

    The first of the ``changes`` comes while its first run is under way, and each further one behind
    an answer to the one before, together with a press on the card that came with that answer.
    """

    def __init__(self, place: Office, number: int, changes: Iterable[Change] = ()) -> None:
        self._workspace = place.workspace
        self.number = number
        self._changes = list(zip(NOTES, changes, strict=False))
        self._text = " ".join([ticket_text(number), *([SLOW] if self._changes else [])])
        self.message = place.workspace.post(ANN, self._text, channel=CHANNEL)
        self.presses: list[Delivery] = []
        self.notes: frozenset[str] = frozenset()

    def edit(self, note: str) -> None:
        """Add a note to the text."""
        self._workspace.edit(self.message, f"{self._text} {note}")

    def follow_up(self, note: str) -> None:
        """Ask for another answer in the thread."""
        said = f"@handrail {note}, please"
        self._workspace.post(ANN, said, channel=CHANNEL, thread=self.message)

    def go_on(self) -> None:
        """Change it when it is time for that, and press."""
        if self._changes and (self._is_answered if self.notes else self.replies()):
            note, change = self._changes.pop(0)
            self.notes |= {note}
            change(self, note)
        self.press()

    def answers(self) -> list[frozenset[str]]:
        """Return what each final message answers: the notes that its run read."""
        return [notes_in(shown(each)) for each in self.finals()]

    def replies(self) -> list[Message]:
        """Return what stands in the thread."""
        return self._workspace.replies(self.message)

    def finals(self) -> list[Message]:
        """Return the drafts and the stops."""
        return [m for m in self.replies() if any(w in shown(m) for w in ("Draft for", "No draft"))]

    def cards(self) -> list[Message]:
        """Return the cards, whatever they show by now."""
        return [m for m in self.replies() if key_of(m).startswith("card:")]

    @property
    def is_over(self) -> bool:
        """Whether all that was said is answered, and a card says what was done."""
        done = any("*Done.*" in shown(card) for card in self.cards())
        return self._is_answered and not self._changes and done

    def press(self) -> None:
        """Press Approve where a card offers it and no press is taken or under way."""
        if self._workspace.sockets.count == 0:
            return
        if self.presses and not self.presses[-1].given_up:
            return
        for card in self.cards():
            if ActionId.APPROVE in shown(card):
                self.presses.append(self._workspace.click(BEN, card, ActionId.APPROVE))
                return

    @property
    def _is_answered(self) -> bool:
        return self.notes in self.answers()


Change = Callable[[Ticket, str], None]
"""A change of a ticket, which adds a note to it."""


class Ward:
    """A workspace, and one bot at a time.

    Attributes:
        fuse: says at which commit the bot dies.
        deaths: how often it died.
        tickets: all that were posted.
    """

    def __init__(self, place: Office, nursery: subprocess.Popen[str], fuse: Fuse) -> None:
        self.place = place
        self.fuse = fuse
        self.deaths = 0
        self.tickets: list[Ticket] = []
        self._open: list[Ticket] = []
        self._nursery = nursery
        self._lines: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._pid: int | None = None
        threading.Thread(target=self._listen, daemon=True).start()

    def start(self) -> None:
        """Begin a life."""
        assert self._nursery.stdin is not None
        self._nursery.stdin.write("begin\n")
        self._nursery.stdin.flush()
        self._pid = self._lines.get(timeout=LONGEST_S)

    def post(self, changes: Iterable[Change] = ()) -> Ticket:
        """Post the next ticket, and change it like that."""
        ticket = Ticket(self.place, len(self.tickets), changes)
        self.tickets.append(ticket)
        self._open.append(ticket)
        return ticket

    def kill(self) -> None:
        """Kill the bot at this instant, and start it again once it is dead."""
        assert self._pid is not None
        os.kill(self._pid, signal.SIGKILL)
        self._begin_again(self._lines.get(timeout=LONGEST_S))

    def kill_if_any(self) -> None:
        """Kill the bot where one is alive."""
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    def stop(self) -> None:
        """Let the bot finish what it began, and end."""
        assert self._pid is not None
        os.kill(self._pid, signal.SIGTERM)
        assert self._lines.get(timeout=LONGEST_S) == 0

    def live_on(self, seconds: float) -> bool:
        """Press, and start the bot again where it died, for a while or until all is over."""
        for _ in range(max(1, int(seconds / LOOK_S))):
            with suppress(TookTooLong):
                self.place.workspace.wait_for(self._turn, seconds=LOOK_S, what="the end of all")
                return True
        return False

    def finish(self) -> None:
        """Press, and start the bot again where it died, until all is over and at rest."""
        if not self.live_on(LONGEST_S):
            told = [[shown(m) for m in t.replies()] for t in self._open]
            raise TookTooLong(f"not all was over within {LONGEST_S} s: {told}")

    def _turn(self) -> bool:
        with suppress(queue.Empty):
            self._begin_again(self._lines.get_nowait())
        self._open = [ticket for ticket in self._open if not ticket.is_over]
        for ticket in self._open:
            ticket.go_on()
        return not self._open and self.place.is_at_rest()

    def _begin_again(self, ended: int) -> None:
        assert ended == KILLED
        self.deaths += 1
        self.start()

    def _listen(self) -> None:
        assert self._nursery.stdout is not None
        for line in self._nursery.stdout:
            self._lines.put(int(line))


@contextmanager
def ward(folder: Path, *, orders: int) -> Iterator[Ward]:
    """Open a workspace and a nursery beside it, with a bot at work."""
    write_data(folder / "data", orders)
    fuse = Fuse(folder / FUSE)
    with office(folder, data=folder / "data") as place:
        nursery = module("tests.scenarios.nursery", folder, place.workspace.base_url)
        opened = Ward(place, nursery, fuse)
        try:
            opened.start()
            place.workspace.wait_for_sockets(seconds=LONGEST_S)
            yield opened
        finally:
            opened.kill_if_any()
            nursery.kill()
            nursery.communicate()


@contextmanager
def beside(opened: Ward) -> Iterator[None]:
    """Have a second process of the bot at work over the same store."""
    place = opened.place
    nursery = module("tests.scenarios.nursery", place.folder, place.workspace.base_url)
    assert nursery.stdin is not None
    assert nursery.stdout is not None
    try:
        nursery.stdin.write("begin\n")
        nursery.stdin.flush()
        pid = int(nursery.stdout.readline())
        place.workspace.wait_for_sockets(2, seconds=LONGEST_S)
        yield
        os.kill(pid, signal.SIGTERM)
        assert int(nursery.stdout.readline()) == 0
    finally:
        nursery.kill()
        nursery.communicate()


@dataclass(frozen=True, slots=True)
class Death:
    """When to die: at the ``number``-th commit of a kind (empty: of any) from a ticket's post on.

    Killing inside a transaction is killing before its commit: nothing of it is on the disk.
    """

    number: int
    behind: bool
    kind: str = ""


def die_at(opened: Ward, deaths: Iterable[Death], changes: Sequence[Change] = ()) -> Death | None:
    """Die each of these deaths on the way of a ticket of its own.

    The next life brings the ticket to its end and takes the next one. Return the first death that
    was not died because its ticket came to its end before.
    """
    for death in deaths:
        opened.fuse.arm(death.number, behind=death.behind, kind=death.kind)
        opened.post(changes)
        opened.finish()
        left = opened.fuse.left
        opened.fuse.arm(0)
        if left:
            return death
    return None


def every_death(*, behind: bool) -> Iterator[Death]:
    """Yield a death at each commit, for ever."""
    return (Death(number, behind) for number in count(1))


def a_death_of_each_kind(kinds: Counter[str], *, behind: bool) -> Iterator[Death]:
    """Yield a death at each kind of commit: the first, and where there are many a middle one."""
    for kind, number in sorted(kinds.items()):
        yield Death(1, behind, kind)
        if number > MANY:
            yield Death(number // 2, behind, kind)


def learn(opened: Ward, changes: Sequence[Change] = ()) -> Counter[str]:
    """Return the kinds of commits on the way of a ticket that nothing disturbs."""
    before = len(commits(opened.place.folder))
    opened.post(changes)
    opened.finish()
    return Counter(line["commit"] for line in commits(opened.place.folder)[before:])


def die_under_changes(opened: Ward, ways: Sequence[Sequence[Change]], *, behind: bool) -> None:
    """Die at each kind of commit on the way of a ticket that is changed in one of two ways.

    Where there are several of a kind it is in the second half; a kind that both ways have falls on
    the one before its commit, and on the other behind it.
    """
    kinds = [learn(opened, way) for way in ways]
    for number, kind in enumerate(sorted(kinds[0] | kinds[1])):
        at = (number + behind) % 2
        if kind not in kinds[at]:
            at = 1 - at
        die_at(opened, [Death(1 + kinds[at][kind] // 2, behind, kind)], ways[at])


def at_random(opened: Ward, *, kills: int, tickets: int, chance: random.Random) -> None:
    """Kill at random instants while tickets are posted and approved, several at once."""
    for number in range(kills):
        while len(opened.tickets) * kills < number * tickets:
            opened.post()
        opened.live_on(chance.uniform(SHORTEST_LIFE_S, LONGEST_LIFE_S))
        opened.kill()
    opened.finish()


def wrongs(opened: Ward) -> list[str]:
    """Return everything that is not as it should be, in words; nothing where all is well."""
    written = Counter(change.order_id for change in opened.place.shop_changes())
    wanted = Counter(order(ticket.number) for ticket in opened.tickets)
    found = [f"{n} writes too many for {each}" for each, n in (written - wanted).items()]
    found += [f"no write for {each}" for each in wanted - written]
    for ticket in opened.tickets:
        found += [f"ticket {ticket.number}: {each}" for each in _wrong_in(ticket)]
    for name, sql in _LEFT_OVER.items():
        if number := opened.place.count(sql):
            found.append(f"{number} {name}")
    return found


_LEFT_OVER = {
    "runs that never ended": "SELECT count(*) FROM runs WHERE state = 'running'",
    "threads that never ended": "SELECT count(*) FROM threads WHERE state != 'ended'",
    "posts that were given up": "SELECT count(*) FROM outbox WHERE state = 'failed'",
    "jobs that were given up": "SELECT count(*) FROM jobs WHERE state = 'dead'",
    "presses or messages that were given up": "SELECT count(*) FROM inbox WHERE state = 'dead'",
    "proposals without an end": "SELECT count(*) FROM proposals WHERE state != 'done'",
}


def _wrong_in(ticket: Ticket) -> Iterator[str]:
    replies = ticket.replies()
    keys = [key_of(each) for each in replies]
    yield from (f"{key} was posted twice" for key in sorted(set(keys)) if keys.count(key) > 1)
    told = [" ".join(["the ticket", *sorted(each)]) for each in ticket.answers()]
    if not ticket.answers() or ticket.answers()[-1] != ticket.notes:
        yield f"not all is answered, but {told}"
    if not all(earlier < later for earlier, later in pairwise(ticket.answers())):
        yield f"something is answered twice: {told}"
    if len(ticket.cards()) != 1:
        yield f"{len(ticket.cards())} cards"
    taken = [press for press in ticket.presses if press.acknowledged]
    if len(taken) > 1:
        yield f"{len(taken)} presses were taken"
    for stale in (ActionId.STOP, ActionId.APPROVE):
        if any(stale in shown(each) for each in replies):
            yield f"a button {stale} is left"


def key_of(message: Message) -> str:
    """Return the key that the bot gave a message of its own; empty for anybody else's."""
    payload = (message.metadata or {}).get("event_payload") or {}
    return str(payload.get("key", ""))


def commits(folder: Path) -> list[dict[str, Any]]:
    """Return every commit of every life: what it wrote to, and whether it was the last."""
    return read_effects(folder / COMMITS)
