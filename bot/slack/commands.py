"""``/handrail``: waiting, status, show, pause, resume, letters. Each answers whoever typed it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sqlite_utils import Database

from approvals import ApprovalsError, Person, Policy, read_proposal_id
from bot.slack.access import Access, Needs
from bot.slack.blocks import card_message, note, status_report, waiting_list
from bot.slack.cards import read_card
from bot.slack.decider import Effect
from bot.slack.errors import PressRefused
from bot.slack.letter_presses import LetterPresses
from bot.slack.markup import message_link
from bot.slack.overview import count_waiting, home_of, waiting_lines
from bot.slack.store.cards import card_place
from bot.slack.store.letters import count_letters, letters
from bot.slack.store.threads import pause_runs, resume_runs
from bot.slack.views import Message
from bot.slack.words import answers
from bot.slack.words.letters import letters_list

__all__ = ["Commands"]

MAX_WHY: Final = 200
MAX_TOLD: Final = 1_000


class Commands:
    """Answers commands.

    Args:
        access: says who may.
        policy: in force.
        letters: tries again, or lets rest, what was given up.
        now_us: the time.
    """

    def __init__(
        self,
        *,
        access: Access,
        policy: Policy,
        letters: LetterPresses,
        now_us: Callable[[], int],
    ) -> None:
        self._access = access
        self._policy = policy
        self._letters = letters
        self._now_us = now_us

    def prepare(self, db: Database, user_id: str, text: str) -> Effect:
        """Return what a command comes to, to be applied inside ``tx()``.

        Raises:
            PersonUnavailable: Slack could not say who typed it.
            PressRefused: they may not, or there is no such command.
        """
        person = self._access.look_up(user_id)
        word, _, rest = text.strip().partition(" ")
        match word.lower():
            case "waiting":
                self._check_viewer(person)
                return lambda w: self._waiting(w, person)
            case "status":
                self._check_viewer(person)
                return lambda w: self._status(w, person)
            case "show" if rest.strip():
                return self._show(db, person, rest.strip())
            case "pause":
                self._access.check(Needs.OPERATOR, person, None)
                return lambda w: self._pause(w, person, rest.strip()[:MAX_WHY])
            case "resume":
                self._access.check(Needs.OPERATOR, person, None)
                return self._resume
            case "letters":
                self._access.check(Needs.OPERATOR, person, None)
                return lambda w: note(letters_list(letters(w), count_letters(w)))
            case "retry":
                self._access.check(Needs.OPERATOR, person, None)
                return self._letters.retry(rest.strip())
            case "discard":
                self._access.check(Needs.OPERATOR, person, None)
                return self._letters.discard(rest.strip())
            case _:
                raise PressRefused(answers.command_help())

    def _waiting(self, db: Database, person: Person) -> Message:
        return waiting_list(waiting_lines(db, self._policy, person), count_waiting(db))

    def _status(self, db: Database, person: Person) -> Message:
        view = home_of(
            db,
            self._policy,
            person,
            viewer=True,
            operator=self._access.is_operator(person),
            now_us=self._now_us(),
        )
        return status_report(view)

    def _show(self, db: Database, person: Person, typed: str) -> Effect:
        """Show a card without its buttons: it is decided where its thread is."""
        proposal_id = read_proposal_id(typed)
        place = card_place(db, proposal_id)
        if place is None:
            self._check_viewer(person)
        else:
            self._access.check(Needs.VIEWER, person, place.channel)
        try:
            view = read_card(db, self._policy, proposal_id)
        except ApprovalsError as error:
            raise PressRefused(answers.refused(error, MAX_TOLD)) from error
        if place is not None and place.thread_ts is not None:
            view = replace(view, ticket_link=message_link(place.channel, place.thread_ts))
        return lambda _w: card_message(view, buttons=False)

    def _pause(self, db: Database, person: Person, why: str) -> Message:
        pause_runs(db, by=person.user_id, why=why, now_us=self._now_us())
        return note(answers.paused())

    def _resume(self, db: Database) -> Message:
        return note(answers.resumed() if resume_runs(db) else answers.not_paused())

    def _check_viewer(self, person: Person) -> None:
        if not self._access.is_viewer_somewhere(person):
            raise PressRefused(answers.not_viewer())
