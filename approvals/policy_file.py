"""Reading the ``[approvals]`` table of the settings into a policy, strictly.

There is no default for who may approve: every role names its users or groups, if only as an empty
list. Amounts are whole numbers or quoted texts, never binary fractions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from approvals.errors import PolicyRefused
from approvals.policy import CommandLine, Policy, Role
from tools import Money, MoneyError, currency_digits

__all__ = ["NO_POLICY", "read_policy"]

EXPIRY_HOURS: Final = 72
"""How long a proposal waits where the table does not say: over a weekend."""
WARN_BEFORE_HOURS: Final = 4
LONGEST_EXPIRY_HOURS: Final = 24 * 90

NO_POLICY: Final = Policy(
    currency="CAD",
    roles=(),
    two_people_above=None,
    requesters_may_sign=False,
    count_reships=False,
    approver_daily_cap=None,
    customer_daily_cap=None,
    expiry_hours=EXPIRY_HOURS,
    warn_before_hours=WARN_BEFORE_HOURS,
    command_line=None,
)
"""What holds where no policy was given: proposals wait and expire, and nobody may approve. The
currency is the practice shop's; there is no limit to compare with it."""


_WRITTEN: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)?")


def _amount(value: object) -> str:
    """Return an amount as it was written. How its currency is written is judged once that is known.

    A binary fraction has no exact value, so it is none.
    """
    text = format(value, "f") if isinstance(value, Decimal) else value
    if isinstance(value, int) and not isinstance(value, bool):
        text = str(value)
    if not isinstance(text, str) or not _WRITTEN.fullmatch(text):
        raise ValueError('an amount is a number in quotes and not negative, such as "100.00"')
    return text


def _no_word(word: str) -> BeforeValidator:
    """Let the word stand for None and read everything else as an amount."""
    return BeforeValidator(lambda value: None if value == word else _amount(value))


_UserId = Annotated[str, StringConstraints(pattern=r"^[UW][A-Z0-9]{1,20}$")]
_GroupId = Annotated[str, StringConstraints(pattern=r"^S[A-Z0-9]{1,20}$")]
_RoleName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,29}$")]
_Limit = Annotated[str | None, _no_word("none")]
_Switchable = Annotated[str | None, _no_word("off")]


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class _RoleTable(_Table):
    limit: _Limit
    users: list[_UserId] | None = None
    groups: list[_GroupId] | None = None


class _ApprovalsTable(_Table):
    currency: str
    roles: dict[_RoleName, _RoleTable]
    two_people_above: _Switchable = None
    requesters_may_sign: bool = False
    count_reships: bool = False
    approver_daily_cap: _Switchable = None
    customer_daily_cap: _Switchable = None
    expiry_hours: Annotated[int, Field(ge=1, le=LONGEST_EXPIRY_HOURS)] = EXPIRY_HOURS
    warn_before_hours: Annotated[int, Field(ge=0)] | None = None
    command_line: Literal["allow", "deny"] | None = None


def read_policy(table: object, *, file: str) -> Policy:
    """Return the policy of an ``[approvals]`` table as ``tomllib`` gives it.

    Raises:
        PolicyRefused: with the file, and each field that is wrong with what is wrong about it.
    """
    if not isinstance(table, Mapping):
        raise PolicyRefused(file, [("approvals", "is missing; say who may approve")])
    try:
        read = _ApprovalsTable.model_validate(dict(table))
    except ValidationError as error:
        raise PolicyRefused(file, _problems(error)) from None
    return _Builder(read, file).policy()


def _problems(error: ValidationError) -> list[tuple[str, str]]:
    """Name field and rule, never the value: a wrong value may be a pasted secret."""
    return [
        (".".join(("approvals", *map(str, each["loc"]))), each["msg"].removeprefix("Value error, "))
        for each in error.errors(include_url=False, include_input=False)
    ]


class _Builder:
    """Turns a table that has the right types into a policy, or names what does not add up."""

    def __init__(self, table: _ApprovalsTable, file: str) -> None:
        self._table = table
        self._file = file

    def policy(self) -> Policy:
        table = self._table
        self._check_currency()
        warn = table.warn_before_hours
        if warn is None:
            warn = min(WARN_BEFORE_HOURS, table.expiry_hours - 1)
        elif warn >= table.expiry_hours:
            raise self._refuse("warn_before_hours", "must be less than expiry_hours")
        return Policy(
            currency=table.currency,
            roles=self._roles(),
            two_people_above=self._money("two_people_above", table.two_people_above),
            requesters_may_sign=table.requesters_may_sign,
            count_reships=table.count_reships,
            approver_daily_cap=self._money("approver_daily_cap", table.approver_daily_cap),
            customer_daily_cap=self._money("customer_daily_cap", table.customer_daily_cap),
            expiry_hours=table.expiry_hours,
            warn_before_hours=warn,
            command_line=None if table.command_line is None else CommandLine(table.command_line),
        )

    def _roles(self) -> tuple[Role, ...]:
        roles = [self._role(name, each) for name, each in self._table.roles.items()]
        if not roles:
            raise self._refuse("roles", "is empty; say who may approve")
        if len({role.limit for role in roles}) != len(roles):
            raise self._refuse("roles", "two roles have one limit; make them one role")
        return tuple(sorted(roles, key=_by_limit))

    def _role(self, name: str, table: _RoleTable) -> Role:
        if table.users is None and table.groups is None:
            raise self._refuse(
                f"roles.{name}", "names neither users nor groups; an empty list means nobody"
            )
        return Role(
            name=name,
            limit=self._money(f"roles.{name}.limit", table.limit),
            users=frozenset(table.users or ()),
            groups=frozenset(table.groups or ()),
        )

    def _check_currency(self) -> None:
        try:
            currency_digits(self._table.currency)
        except MoneyError as error:
            raise self._refuse("currency", str(error)) from None

    def _money(self, field: str, text: str | None) -> Money | None:
        if text is None:
            return None
        try:
            return Money.typed(text, self._table.currency)
        except MoneyError as error:
            raise self._refuse(field, str(error)) from None

    def _refuse(self, field: str, problem: str) -> PolicyRefused:
        return PolicyRefused(self._file, [(f"approvals.{field}", problem)])


def _by_limit(role: Role) -> tuple[bool, int]:
    return (role.limit is None, 0 if role.limit is None else role.limit.minor)
