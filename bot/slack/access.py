"""Who may do what in Slack, besides deciding: that alone is in the approvals table."""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import StrEnum
from functools import partial
from typing import assert_never

from approvals import GroupUnavailable, Person, PersonKind
from bot.slack.errors import PersonUnavailable, PressRefused
from bot.slack.people import People
from bot.slack.settings import SlackSettings
from bot.slack.words import answers

__all__ = ["Access", "Needs"]


class Needs(StrEnum):
    """What somebody has to be for a press to do anything."""

    NOTHING = "nothing"
    """The press decides about a proposal: the approvals table says who may."""
    VIEWER = "viewer"
    OPERATOR = "operator"


class Access:
    """Looks people up and checks what they are.

    Args:
        people: the look-ups.
        settings: name viewers and operators. Not named: viewers are the full members of the
            ticket's channel, and operators nobody.
    """

    def __init__(self, people: People, settings: SlackSettings) -> None:
        self._people = people
        self._settings = settings

    def look_up(self, user_id: str) -> Person:
        """Return a person with their groups.

        Raises:
            PersonUnavailable: Slack could not say who they are.
        """
        return self._people.look_up(user_id)

    def check(self, needs: Needs, person: Person, channel: str | None) -> None:
        """Refuse somebody who is not what a press needs.

        Raises:
            PressRefused: they are not.
            PersonUnavailable: Slack could not say.
        """
        match needs:
            case Needs.NOTHING:
                return
            case Needs.VIEWER:
                if not self._views(person, channel):
                    raise PressRefused(answers.not_viewer())
            case Needs.OPERATOR:
                if not self._operates(person):
                    raise PressRefused(answers.not_an_operator())
            case never:
                assert_never(never)

    def is_viewer_somewhere(self, person: Person) -> bool:
        """Whether somebody may use the buttons of a draft in any of the ticket channels.

        A channel of which Slack cannot say who is in it does not count.
        """
        channels = sorted(self._settings.channels)
        return any(_if_known(partial(self._views, person, each)) for each in channels)

    def is_operator(self, person: Person) -> bool:
        """Whether somebody may pause, resume and handle dead letters; False if Slack cannot say."""
        return _if_known(partial(self._operates, person))

    def _views(self, person: Person, channel: str | None) -> bool:
        if person.kind is not PersonKind.MEMBER:
            return False
        if self._settings.viewers:
            return self._is_among(person, self._settings.viewers)
        return channel is not None and self._people.is_in_channel(channel, person.user_id)

    def _operates(self, person: Person) -> bool:
        member = person.kind is PersonKind.MEMBER
        return member and self._is_among(person, self._settings.operators)

    def _is_among(self, person: Person, ids: Collection[str]) -> bool:
        """Whether a person is named by id, or is in a named user group."""
        return person.user_id in ids or any(
            self._is_in_group(person.user_id, each) for each in sorted(ids) if each.startswith("S")
        )

    def _is_in_group(self, user_id: str, group_id: str) -> bool:
        try:
            return user_id in self._people.members_of(group_id)
        except GroupUnavailable as error:
            raise PersonUnavailable(user_id, str(error)) from error


def _if_known(ask: Callable[[], bool]) -> bool:
    try:
        return ask()
    except PersonUnavailable:
        return False
