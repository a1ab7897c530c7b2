"""The policy: who may approve how much, how long a proposal waits, and what is capped.

A policy is a value. It is read from the settings once (``approvals.policy_file``), its version
stands in every decision, and a new one may only block what an older one allowed, never release it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, assert_never

from approvals.errors import NotAllowed, Refusal
from approvals.forms import APPROVAL_FORM, money_to_dict
from approvals.people import Person, PersonKind, Surface
from tools import Money, digest

__all__ = ["Amount", "CommandLine", "Grant", "Policy", "Role"]


class CommandLine(StrEnum):
    """Whether decisions may come from the command line."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """What counts against a limit.

    ``known`` is the part in the policy's currency. ``beyond`` says that there is more which no
    limit can be compared with: another currency, or a reshipment of unknown price.
    """

    known: Money
    beyond: bool

    def __str__(self) -> str:
        return f"{self.known} and more that no limit covers" if self.beyond else str(self.known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role and its people, by Slack user id or user group id.

    ``limit`` is inclusive; None is no limit, and the only one that covers another currency.
    """

    name: str
    limit: Money | None
    users: frozenset[str]
    groups: frozenset[str]

    def covers(self, amount: Amount) -> bool:
        """Whether one signature of this role is enough for the amount."""
        return self.limit is None or (not amount.beyond and amount.known <= self.limit)

    @property
    def is_empty(self) -> bool:
        """Whether nobody holds the role."""
        return not self.users and not self.groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A role, and what gives it to a person: their own id, or a group's."""

    role: Role
    granted_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All rules about approving. Roles are in the order of their limits, no limit last.

    Attributes:
        currency: of every amount in the policy.
        roles: an empty set means nobody.
        two_people_above: from the first minor unit above it two different people sign, and one
            of the two signatures covers the amount. None: one person is enough.
        requesters_may_sign: for small teams; a requester never signs where it is False.
        count_reships: whether a reshipment counts, with price times quantity.
        approver_daily_cap: what one person may sign in 24 hours, inclusive. None: no cap.
        customer_daily_cap: what may be approved for one customer in 24 hours. None: no cap.
        expiry_hours: how long a proposal waits.
        warn_before_hours: how long before that it is warned about; 0 is never.
        command_line: None where it was not given (see ``allows_command_line``).
        version: the digest of all the rules above, 64 hex digits; stands in every decision.
    """

    currency: str
    roles: tuple[Role, ...]
    two_people_above: Money | None
    requesters_may_sign: bool
    count_reships: bool
    approver_daily_cap: Money | None
    customer_daily_cap: Money | None
    expiry_hours: int
    warn_before_hours: int
    command_line: CommandLine | None
    version: str = field(init=False)

    def __post_init__(self) -> None:
        version = digest("policy", {"form": APPROVAL_FORM, **_content(self)})
        object.__setattr__(self, "version", version)

    @property
    def groups(self) -> frozenset[str]:
        """Every user group that any role names."""
        return frozenset[str]().union(*(role.groups for role in self.roles))

    def allows_command_line(self, *, practice_shop: bool) -> bool:
        """Whether the command line may decide: as given; if not given, with practice data only."""
        if self.command_line is None:
            return practice_shop
        return self.command_line is CommandLine.ALLOW

    def needed_role(self, amount: Amount) -> Role | None:
        """Return the lowest role that covers the amount and has people; None where none has."""
        return next((r for r in self.roles if r.covers(amount) and not r.is_empty), None)

    def signatures_needed(self, amount: Amount) -> int:
        """Return how many different people must sign: 1 or 2."""
        if self.two_people_above is None:
            return 1
        return 2 if amount.beyond or self.two_people_above < amount.known else 1

    def grant(self, user_id: str, groups: Collection[str]) -> Grant | None:
        """Return the highest role of a person with these groups; None where there is none."""
        for role in reversed(self.roles):
            if user_id in role.users:
                return Grant(role=role, granted_by=user_id)
            for group in sorted(role.groups.intersection(groups)):
                return Grant(role=role, granted_by=group)
        return None

    def still_grants(self, role_name: str, granted_by: str) -> Role | None:
        """Return the role if it is still given by this id; None where it no longer is."""
        for role in self.roles:
            if role.name == role_name and granted_by in role.users | role.groups:
                return role
        return None

    def grant_for(self, person: Person, *, practice_shop: bool) -> Grant:
        """Return the role with which a person decides.

        Raises:
            NotAllowed: a guest, an outsider or a bot; from a command line that may not decide; or
                without a role.
        """
        others = _other_than_members(person.kind)
        if others is not None:
            raise NotAllowed(
                Refusal.NOT_A_MEMBER, f"only members of this workspace decide; {others} do not"
            )
        if person.surface is Surface.COMMAND_LINE and not self.allows_command_line(
            practice_shop=practice_shop
        ):
            raise NotAllowed(
                Refusal.COMMAND_LINE,
                'the command line may not decide here; set command_line = "allow" in the'
                " approvals table, or decide in Slack",
            )
        grant = self.grant(person.user_id, person.groups)
        if grant is None:
            raise self._without_role(person)
        return grant

    def _without_role(self, person: Person) -> NotAllowed:
        if all(role.is_empty for role in self.roles):
            return NotAllowed(
                Refusal.NOBODY, "nobody may approve: the approvals table names no users or groups"
            )
        if not person.groups_known:
            return NotAllowed(
                Refusal.GROUP_UNAVAILABLE,
                "the user groups could not be looked up, so membership does not count; try again",
            )
        return NotAllowed(Refusal.NO_ROLE, f"{person.user_id} has no role in the approvals table")


def _other_than_members(kind: PersonKind) -> str | None:
    """Name the people of a kind that never decides; None for members."""
    match kind:
        case PersonKind.MEMBER:
            return None
        case PersonKind.GUEST:
            return "guests"
        case PersonKind.OUTSIDER:
            return "people from outside it"
        case PersonKind.BOT:
            return "bots"
        case _:
            assert_never(kind)


def _content(policy: Policy) -> Mapping[str, Any]:
    def amount(money: Money | None) -> dict[str, Any] | None:
        return None if money is None else money_to_dict(money)

    return {
        "currency": policy.currency,
        "roles": [
            {
                "name": role.name,
                "limit": amount(role.limit),
                "users": sorted(role.users),
                "groups": sorted(role.groups),
            }
            for role in policy.roles
        ],
        "two_people_above": amount(policy.two_people_above),
        "requesters_may_sign": policy.requesters_may_sign,
        "count_reships": policy.count_reships,
        "approver_daily_cap": amount(policy.approver_daily_cap),
        "customer_daily_cap": amount(policy.customer_daily_cap),
        "expiry_hours": policy.expiry_hours,
        "warn_before_hours": policy.warn_before_hours,
        "command_line": policy.command_line,
    }
