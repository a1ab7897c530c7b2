"""Who is deciding: the facts about a person that a decision rests on, looked up before it.

A look-up may go over the network, so it happens outside every transaction, and it fails closed: a
group that cannot be looked up has no members.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from approvals.audit import Actor
from approvals.errors import GroupUnavailable
from approvals.store import assert_no_transaction

__all__ = ["UNKNOWN_REQUESTER", "MembersOf", "Person", "PersonKind", "Surface", "look_up_person"]

UNKNOWN_REQUESTER: Final = "unknown"
"""Stands among the requesters for somebody who asked and whose user id nobody knows."""

MembersOf = Callable[[str], Collection[str]]
"""Returns the user ids of a user group; raises ``GroupUnavailable`` where it cannot say."""


class PersonKind(StrEnum):
    """What somebody is in the workspace. Only members ever decide."""

    MEMBER = "member"
    GUEST = "guest"
    OUTSIDER = "outsider"
    BOT = "bot"


class Surface(StrEnum):
    """Where a decision comes from."""

    SLACK = "slack"
    COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who decides, by user id; names are never compared.

    ``groups`` are the user groups they are known to be in, ``groups_known`` whether all could be
    looked up. ``place`` is login and host for the command line, empty for Slack.
    """

    user_id: str
    kind: PersonKind = PersonKind.MEMBER
    groups: frozenset[str] = frozenset()
    groups_known: bool = True
    surface: Surface = Surface.SLACK
    place: str = ""

    @property
    def actor(self) -> Actor:
        """The person as the audit names them."""
        return Actor(who=self.user_id, via=f"{self.surface.value} {self.place}".rstrip())


def look_up_person(
    user_id: str, kind: PersonKind, *, groups: Iterable[str], members_of: MembersOf
) -> Person:
    """Return a person in Slack with their groups among ``groups``, those of the policy.

    Nobody is looked up inside a transaction; a group that is unavailable counts as not theirs.

    Raises:
        TransactionOpen: called inside ``tx()``.
    """
    assert_no_transaction()
    member, known = set(), True
    for group in sorted(groups):
        try:
            if user_id in members_of(group):
                member.add(group)
        except GroupUnavailable:
            known = False
    return Person(user_id=user_id, kind=kind, groups=frozenset(member), groups_known=known)
