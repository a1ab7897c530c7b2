"""Dead letters tried again or let rest, by a button of App Home or by a command: one way."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlite_utils import Database

from approvals import Person
from approvals.store import Jobs
from bot.slack.access import Needs
from bot.slack.blocks import note
from bot.slack.decider import Effect, Handler
from bot.slack.errors import PressRefused
from bot.slack.press import Press
from bot.slack.refs import ActionId, read_letter_ref
from bot.slack.store.letters import discard_letter, retry_letter
from bot.slack.views import Message
from bot.slack.words import answers
from bot.slack.words import letters as words

__all__ = ["LetterPresses"]


class LetterPresses:
    """What an operator does with a dead letter.

    Args:
        jobs: where work is tried again.
        now_us: the time.
    """

    def __init__(self, *, jobs: Jobs, now_us: Callable[[], int]) -> None:
        self._jobs = jobs
        self._now_us = now_us

    def handlers(self) -> Mapping[str, Handler]:
        """Return the buttons by action id. Who is an operator is asked at each press."""
        return {
            ActionId.RETRY_LETTER.value: Handler(Needs.OPERATOR, self._pressed(self.retry)),
            ActionId.DISCARD_LETTER.value: Handler(Needs.OPERATOR, self._pressed(self.discard)),
        }

    def retry(self, letter_id: str) -> Effect:
        """Return the effect that tries one again; ``letter_id`` as a person types it."""

        def retry(w: Database) -> Message:
            done = retry_letter(w, self._jobs, letter_id, now_us=self._now_us())
            return note(words.letter_retried(letter_id) if done else words.no_such_letter())

        return retry

    def discard(self, letter_id: str) -> Effect:
        """Return the effect that lets one rest; ``letter_id`` as a person types it."""

        def discard(w: Database) -> Message:
            done = discard_letter(w, letter_id)
            return note(words.letter_discarded(letter_id) if done else words.no_such_letter())

        return discard

    def _pressed(
        self, verb: Callable[[str], Effect]
    ) -> Callable[[Database, Press, Person], Effect]:
        def prepare(_db: Database, press: Press, _person: Person) -> Effect:
            ref = read_letter_ref(press.value)
            if ref is None:
                raise PressRefused(answers.old_button())
            return verb(ref.letter_id)

        return prepare
