"""The demo with its page: the tickets arrive by themselves, and who sits there decides."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import cycle
from queue import Empty, SimpleQueue
from typing import Final

from bot.demo.cast import CHANNEL, PEOPLE
from bot.demo.pace import Pace
from bot.demo.scenes import STORY
from bot.demo.stage import Stage
from bot.slack.manifest import manifest
from bot.workspace import NewTicket, Page, Workspace

__all__ = ["Live"]

TITLE: Final = "Handrail demo"
FIRST_S: Final = 1.0
"""Before the first ticket, in seconds of the demo."""
BETWEEN_S: Final = 6.0
"""Between two tickets: long enough to see a thread fill."""
LAST_WORDS: Final = (
    "That was the story. Decide the cards, post a ticket of your own, or start over."
)


class Live:
    """The page of a demo, the story that plays on it, and starting over.

    Args:
        workspace: not started yet: the page is mounted in it.
        stage: where the bot works. It is opened and closed here.
    """

    def __init__(self, workspace: Workspace, stage: Stage) -> None:
        self._workspace = workspace
        self._stage = stage
        self._page = Page(
            workspace,
            title=TITLE,
            manifest=manifest(),
            people=PEOPLE,
            new_ticket=self._next_ticket,
            on_reset=self.start_over,
        )
        workspace.mount(self._page.routes)
        self._resets: SimpleQueue[threading.Event] = SimpleQueue()
        self._story = threading.Thread()
        self._tickets = self._ready_tickets()

    def open(self) -> None:
        """Have the bot connect, and let the story begin.

        Raises:
            BotError, StoreError, ToolsError: a part cannot be opened.
        """
        self._page.notice("The bot is starting ...")
        self._tickets = self._ready_tickets()
        self._stage.open()
        self._page.notice("The bot is connected; the first ticket is on its way.")
        self._story = threading.Thread(target=self._play, args=(self._stage.pace,), name="story")
        self._story.start()

    def serve(self) -> None:
        """Start over whenever somebody asks for it, for ever.

        What the stage opened is closed by the thread that opened it: this one.
        """
        while True:
            asked = [self._resets.get(), *self._waiting_resets()]
            try:
                self._page.notice("Starting over ...")
                self.close()
                self._workspace.clear()
                self.open()
            finally:
                _release(asked)

    def close(self) -> None:
        """End the story and the bot, and delete what they stored."""
        self._stage.close()
        if self._story.ident is not None:
            self._story.join()

    def start_over(self) -> None:
        """Ask for a new store, a new shop, an empty channel and the first ticket; wait for it."""
        done = threading.Event()
        self._resets.put(done)
        done.wait()

    def release(self) -> None:
        """Let go who still waits for a new start: there will be none."""
        _release(self._waiting_resets())

    def _waiting_resets(self) -> Iterator[threading.Event]:
        with suppress(Empty):
            while True:
                yield self._resets.get_nowait()

    def _play(self, pace: Pace) -> None:
        """Post the story's tickets one after the other, until all are or the pace has ended."""
        wait_s = FIRST_S
        for number, scene in enumerate(STORY, start=1):
            if not pace.pause(wait_s):
                return
            wait_s = BETWEEN_S
            self._page.notice(f"{number} of {len(STORY)}, {scene.ticket_id}: {scene.shows}")
            self._stage.post(scene.ticket_id)
        if pace.pause(wait_s):
            self._page.notice(LAST_WORDS)

    def _next_ticket(self) -> NewTicket:
        return NewTicket(channel=CHANNEL, text=next(self._tickets))

    def _ready_tickets(self) -> Iterator[str]:
        """Yield the shipped tickets that the story leaves out, as a person would post them."""
        told = {scene.ticket_id for scene in STORY}
        tickets = [case.ticket for case in self._stage.cases.values()]
        return cycle(
            f"{each.ticket_id} {each.customer_id}\n{each.text}"
            for each in tickets
            if each.ticket_id not in told and each.text.strip() and not each.attachments
        )


def _release(waiting: Iterable[threading.Event]) -> None:
    for each in waiting:
        each.set()
