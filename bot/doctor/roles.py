"""Who is who: whether the people and groups of the settings are there and may do what they say."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from approvals import GroupUnavailable, PersonKind, Policy, Role
from bot.doctor.findings import Finding, fine, problem, warning
from bot.slack.errors import PersonUnavailable
from bot.slack.people import People

__all__ = ["check_approvers", "check_named"]

LOOKED_UP: Final = 20
"""Members of one group that are looked up: Slack takes about 100 such calls a minute."""
_MEMBERS_ONLY: Final = "only full members of the workspace count; name others"


@dataclass(slots=True)
class _Named:
    """What the ids of a setting stand for: full members, and what is wrong with the others."""

    members: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)


def check_approvers(people: People, policy: Policy) -> Iterator[Finding]:
    """Look up who holds each role: somebody must be able to use it."""
    everyone: set[str] = set()
    for role in policy.roles:
        if not role.is_empty:  # that is said without Slack
            named = _look_up(people, role.users | role.groups)
            everyone |= named.members
            yield from _role_findings(role, named)
    if everyone:
        yield from _enough(policy, everyone)


def check_named(people: People, what: str, ids: Collection[str]) -> Iterator[Finding]:
    """Look up the users and groups of a setting, such as the operators."""
    if not ids:
        return
    named = _look_up(people, ids)
    for fault in named.faults:
        yield warning(what, fault, _MEMBERS_ONLY)
    if named.members:
        yield fine(what, f"{_people(named.members)} found")
    else:
        yield problem(what, "none of those named is a full member here", _MEMBERS_ONLY)


def _role_findings(role: Role, named: _Named) -> Iterator[Finding]:
    for fault in named.faults:
        yield warning("approvals", f"role {role.name}: {fault}", _MEMBERS_ONLY)
    if named.members:
        yield fine("approvals", f"role {role.name}: {_people(named.members)} may approve")
    else:
        yield problem("approvals", f"role {role.name}: nobody who holds it may", _MEMBERS_ONLY)


def _enough(policy: Policy, everyone: set[str]) -> Iterator[Finding]:
    """Yield where one person alone cannot do what the policy asks for."""
    if len(everyone) > 1:
        return
    alone = min(everyone)
    two = policy.two_people_above
    if two is not None:
        yield problem(
            "approvals",
            f"above {two} two different people must approve, and only {alone} may",
            'give a role to one more person, or set two_people_above = "off"',
        )
    elif not policy.requesters_may_sign:
        yield warning(
            "approvals",
            f"only {alone} may approve, and never what they asked for themselves",
            "give a role to one more person",
        )


def _look_up(people: People, ids: Collection[str]) -> _Named:
    named = _Named()
    for each in sorted(ids):
        if each.startswith("S"):
            _look_up_group(people, each, named)
        else:
            _look_up_user(people, each, named)
    return named


def _look_up_user(people: People, user_id: str, named: _Named) -> None:
    try:
        kind = people.kind_of(user_id)
    except PersonUnavailable as error:
        named.faults.append(str(error))
        return
    if kind is PersonKind.MEMBER:
        named.members.add(user_id)
    else:
        named.faults.append(f"{user_id} is no full member here ({kind.value})")


def _look_up_group(people: People, group_id: str, named: _Named) -> None:
    try:
        members = people.members_of(group_id)
    except GroupUnavailable as error:
        named.faults.append(str(error))
        return
    if not members:
        named.faults.append(f"user group {group_id} has no members")
    for user_id in sorted(members)[:LOOKED_UP]:
        _look_up_user(people, user_id, named)


def _people(members: set[str]) -> str:
    return "1 person" if len(members) == 1 else f"{len(members)} people"
