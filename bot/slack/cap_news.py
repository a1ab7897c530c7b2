"""Telling the operators, once, that tickets wait because a cap is reached."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from sqlite_utils import Database

from approvals import GroupUnavailable
from approvals.store import Writer
from bot.slack.blocks import note
from bot.slack.steady import every
from bot.slack.store.outbox import put_post
from bot.slack.store.posts import message_post
from bot.slack.store.threads import CAPS, count_held, forget_told, is_told, note_told
from bot.slack.troubles import Troubles
from bot.slack.words import threads as lines

__all__ = ["CapNews"]

EVERY_US: Final = 5_000_000
"""How often it looks."""

MembersOf = Callable[[str], Collection[str]]
"""Returns the users of a user group; raises ``GroupUnavailable`` where it cannot say."""


class CapNews:
    """Tells each operator of a cap once: until no ticket waits for it any more.

    Args:
        operators: users and user groups.
        members_of: looks a user group up.
        writer: commits.
        now_us: microseconds since 1970.
        troubles: the log is told as well, for where there are no operators.
    """

    def __init__(
        self,
        operators: Collection[str],
        *,
        members_of: MembersOf,
        writer: Writer,
        now_us: Callable[[], int],
        troubles: Troubles,
    ) -> None:
        self._operators = sorted(operators)
        self._members_of = members_of
        self._writer = writer
        self._now_us = now_us
        self._troubles = troubles
        self.step = every(EVERY_US, self._look, now_us=now_us)

    def _look(self, db: Database) -> None:
        for cap in CAPS:
            self._look_at(db, cap)

    def _look_at(self, db: Database, cap: str) -> None:
        waiting, told = count_held(db, cap), is_told(db, cap)
        if waiting and not told:
            self._troubles.tell(_trouble(cap), "%s: tickets wait until that is over", cap)
            people = self._people()
            self._writer.run(lambda w: self._tell(w, cap, people))
        elif told and not waiting:
            self._troubles.over(_trouble(cap))
            self._writer.run(lambda w: forget_told(w, cap))

    def _tell(self, db: Database, cap: str, people: Collection[str]) -> None:
        now_us = self._now_us()
        if not note_told(db, cap, now_us=now_us):
            return
        for user_id in people:
            post = message_post(
                note(lines.cap_reached(cap)),
                channel=user_id,
                thread_ts=None,
                key=f"cap:{cap}:{now_us}:{user_id}",
            )
            put_post(db, post, now_us=now_us)

    def _people(self) -> list[str]:
        """Return the operators by user id. Of a group that cannot be looked up nobody is told."""
        found: set[str] = set()
        for each in self._operators:
            try:
                found |= set(self._members_of(each)) if each.startswith("S") else {each}
            except GroupUnavailable as error:
                self._troubles.tell(f"operators {each}", "%s; they are not told", error)
        return sorted(found)


def _trouble(cap: str) -> str:
    return f"cap:{cap}"
