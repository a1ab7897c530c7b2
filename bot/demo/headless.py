"""The story without a page: the tickets arrive, people press, and a terminal shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from bot.demo.cast import name_of
from bot.demo.scenes import Press, Scene
from bot.demo.screen import shown_lines
from bot.demo.stage import Stage
from bot.show import WIDTH, block
from bot.slack.refs import ActionId
from bot.texts import counted, safe
from bot.workspace import Message, NotPossible
from tools import Change

__all__ = ["play"]

PATIENCE_S: Final = 60.0
"""How long, in real seconds, a thread may take to show what comes next."""
_DONE: Final = "(done)"
"""What a card's text holds once everything on it happened."""

Say = Callable[[Iterable[str]], None]


def play(stage: Stage, story: Sequence[Scene], say: Say) -> None:
    """Post the tickets of a story one after the other, press what people press, and show it.

    Raises:
        TookTooLong: a thread did not show what it should.
    """
    for number, scene in enumerate(story, start=1):
        say(_heading(stage, scene, f"[{number}/{len(story)}]"))
        thread = _Thread(stage, stage.post(scene.ticket_id))
        thread.wait_until_answered(proposes=bool(scene.presses))
        say(thread.news())
        for press in scene.presses:
            thread.press(press, last=press is scene.presses[-1])
            say(["", *thread.news()])
    say(_closing(stage.changes(), story))


def _heading(stage: Stage, scene: Scene, place: str) -> Iterator[str]:
    ticket = stage.cases[scene.ticket_id].ticket
    yield "─" * WIDTH
    yield f"{place} {scene.ticket_id} · {scene.shows}"
    yield from block("customer", safe(ticket.text))


def _closing(changes: Sequence[Change], story: Sequence[Scene]) -> Iterator[str]:
    yield "═" * WIDTH
    yield f"{counted(len(story), 'ticket')}; {counted(len(changes), 'change')} in the shop's books:"
    for change in changes:
        facts = ", ".join(f"{name} {value}" for name, value in sorted(change.summary.items()))
        yield f"  {change.reference:<12}{change.tool} {change.order_id}: {facts}"


class _Thread:
    """A ticket's thread, and what of it was told already."""

    def __init__(self, stage: Stage, ticket: Message) -> None:
        self._workspace = stage.workspace
        self._ticket = ticket
        self._name = ticket.text.partition(" ")[0]
        self._told: dict[str, list[str]] = {}
        self._heard: list[str] = []

    def wait_until_answered(self, *, proposes: bool) -> None:
        """Wait for the draft or the stop, the end of the status, and a card if it proposes."""

        def answered() -> bool:
            texts = [each.text for each in self._replies()]
            final = any(text.startswith("Draft for") or ": no answer:" in text for text in texts)
            ended = any(": drafted;" in text or ": stopped:" in text for text in texts)
            return final and ended and (self._card() is not None or not proposes)

        self._wait(answered, "an answer")

    def press(self, press: Press, *, last: bool) -> None:
        """Press Approve on the card and wait for what comes of it; the last one carries it out.

        Raises:
            NotPossible: there is no card.
            TookTooLong: nothing came of it.
        """
        card = self._card()
        if card is None:
            raise NotPossible(f"there is no card below {self._name}")
        heard = len(self._workspace.ephemerals(press.user))
        self._workspace.click(press.user, card, ActionId.APPROVE.value)
        self._heard.append(f"▸ {name_of(press.user)} presses Approve")
        if not press.counts:
            self._heard += self._answer_to(press.user, heard)
        elif last:
            self._heard += self._way_to_the_end(card)
        else:
            self._wait(lambda: self._workspace.latest(card).blocks != card.blocks, "a signature")

    def news(self) -> Iterator[str]:
        """Yield what happened, and what is new in the thread, since it was last asked for."""
        yield from self._heard
        self._heard = []
        for message in self._replies():
            lines, before = shown_lines(message), self._told.get(message.ts, [])
            self._told[message.ts] = lines
            if new := [line for line in lines if line not in before]:
                yield from block(name_of(message.user), "\n".join(new))

    def _answer_to(self, user: str, heard: int) -> Iterator[str]:
        """Wait until somebody is told something alone, and yield it."""
        self._wait(lambda: len(self._workspace.ephemerals(user)) > heard, "a private answer")
        for message in self._workspace.ephemerals(user)[heard:]:
            yield from block("privately", "\n".join(shown_lines(message)))

    def _way_to_the_end(self, card: Message) -> Iterator[str]:
        """Wait until all on a card happened, and yield what it showed on the way."""
        seen = [shown_lines(card)]

        def is_done() -> bool:
            now = self._workspace.latest(card)
            if _DONE in now.text:
                return True
            if (lines := shown_lines(now)) != seen[-1]:
                seen.append(lines)
            return False

        self._wait(is_done, "the card to be done")
        for before, after in pairwise(seen):
            new = [line for line in after if line not in before]
            yield from block(name_of(card.user), "\n".join(new))

    def _replies(self) -> list[Message]:
        return self._workspace.replies(self._ticket)

    def _card(self) -> Message | None:
        approve = ActionId.APPROVE.value
        return next((each for each in self._replies() if approve in str(each.blocks)), None)

    def _wait(self, condition: Callable[[], bool], what: str) -> None:
        self._workspace.wait_for(condition, seconds=PATIENCE_S, what=f"{what} for {self._name}")
