"""Looking a person up before a decision, and failing closed."""

from __future__ import annotations

import pytest

from approvals import (
    GroupUnavailable,
    Person,
    PersonKind,
    Surface,
    TransactionOpen,
    look_up_person,
)
from approvals.store import tx
from tests.approvals.desk import Desk

GROUPS = {"SAGENTS": ["U1", "U2"], "SLEADS": ["U2"]}


def members_of(group: str) -> list[str]:
    """Return the members of a group, as Slack would."""
    if group == "SDOWN":
        raise GroupUnavailable("the group could not be looked up")
    return GROUPS[group]


def test_a_person_has_the_groups_they_are_a_member_of() -> None:
    person = look_up_person("U2", PersonKind.MEMBER, groups=GROUPS, members_of=members_of)

    assert person == Person(user_id="U2", groups=frozenset({"SAGENTS", "SLEADS"}))


def test_a_group_that_is_unavailable_has_no_members_and_is_remembered() -> None:
    groups = ["SAGENTS", "SDOWN"]

    person = look_up_person("U1", PersonKind.GUEST, groups=groups, members_of=members_of)

    assert person.groups == {"SAGENTS"}
    assert not person.groups_known
    assert person.kind is PersonKind.GUEST


def test_nobody_is_looked_up_inside_a_transaction(desk: Desk) -> None:
    with tx(desk.db), pytest.raises(TransactionOpen):
        look_up_person("U1", PersonKind.MEMBER, groups=[], members_of=members_of)


def test_an_actor_names_user_id_surface_and_place() -> None:
    terminal = Person(user_id="U1", surface=Surface.COMMAND_LINE, place="ann@box")

    assert (terminal.actor.who, terminal.actor.via) == ("U1", "command line ann@box")
    assert Person(user_id="U1").actor.via == "slack"
