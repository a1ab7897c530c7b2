"""The approvals table of the settings, and the rules that it becomes."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from approvals import Amount, CommandLine, Policy, PolicyRefused, read_policy
from tests.approvals.desk import ROLES, policy
from tools import Money

TABLE = """
[approvals]
currency = "CAD"
two_people_above = "1000.00"
count_reships = true
customer_daily_cap = 250
expiry_hours = 24
command_line = "deny"

[approvals.roles.head]
limit = "none"
users = ["U0HEAD"]

[approvals.roles.agent]
limit = "100.00"
groups = ["S0AGENTS"]

[approvals.roles.team_lead]
limit = "500.00"
users = ["U0LEAD", "W0LEAD"]
"""


def amount(text: str, *, beyond: bool = False) -> Amount:
    """Return an amount in the policy's currency."""
    return Amount(known=Money.of(text, "CAD"), beyond=beyond)


def problems(table: Any) -> list[str]:
    """Return the fields that are refused."""
    with pytest.raises(PolicyRefused) as caught:
        read_policy(table, file="handrail.toml")
    assert str(caught.value).startswith("handrail.toml: approvals")
    assert caught.value.field == caught.value.problems[0][0]
    return [field for field, _ in caught.value.problems]


def test_a_table_becomes_a_policy_with_roles_in_the_order_of_their_limits() -> None:
    read = read_policy(tomllib.loads(TABLE)["approvals"], file="handrail.toml")

    assert [role.name for role in read.roles] == ["agent", "team_lead", "head"]
    assert [role.limit for role in read.roles] == [
        Money.of(100, "CAD"),
        Money.of(500, "CAD"),
        None,
    ]
    assert read.roles[1].users == {"U0LEAD", "W0LEAD"}
    assert read.groups == {"S0AGENTS"}
    assert read.two_people_above == Money.of(1000, "CAD")
    assert read.customer_daily_cap == Money.of(250, "CAD")
    assert read.approver_daily_cap is None
    assert (read.count_reships, read.requesters_may_sign) == (True, False)
    assert (read.expiry_hours, read.warn_before_hours) == (24, 4)
    assert read.command_line is CommandLine.DENY


def test_the_table_of_the_documentation_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "approvals.md").read_text("utf-8")
    example = page.partition("```toml\n")[2].partition("```")[0]

    read = read_policy(tomllib.loads(example)["approvals"], file="handrail.toml")

    assert [role.name for role in read.roles] == ["agent", "team_lead", "head"]
    assert read.two_people_above == Money.of(1000, "CAD")


def test_what_is_not_given_is_off() -> None:
    read = policy()

    assert read.two_people_above is None
    assert read.command_line is None
    assert (read.requesters_may_sign, read.count_reships) == (False, False)


@pytest.mark.parametrize("off", ["off"])
def test_off_can_be_said(off: str) -> None:
    assert policy(two_people_above=off) == policy()


def test_an_exact_fraction_is_taken() -> None:
    assert policy(two_people_above=Decimal("9.95")).two_people_above == Money.of("9.95", "CAD")


def test_an_amount_may_have_a_comma_before_its_cents() -> None:
    assert policy(two_people_above="9,95").two_people_above == Money.of("9.95", "CAD")


def test_an_amount_that_can_be_read_in_two_ways_is_refused_with_its_currency() -> None:
    with pytest.raises(PolicyRefused, match="an amount in CAD has at most 2 decimals"):
        policy(two_people_above="1,000")


@pytest.mark.parametrize("table", [None, [], "text"])
def test_a_missing_table_is_refused(table: Any) -> None:
    assert problems(table) == ["approvals"]


def test_there_is_no_default_for_who_may_approve() -> None:
    assert problems({"currency": "CAD"}) == ["approvals.roles"]
    assert problems({"currency": "CAD", "roles": {}}) == ["approvals.roles"]
    assert problems({"currency": "CAD", "roles": {"agent": {"limit": "1.00"}}}) == [
        "approvals.roles.agent"
    ]


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"currency": "cad"}, "currency"),
        ({"currency": 1}, "currency"),
        ({"two_people_above": 100.0}, "two_people_above"),
        ({"two_people_above": True}, "two_people_above"),
        ({"two_people_above": "-1"}, "two_people_above"),
        ({"two_people_above": "NaN"}, "two_people_above"),
        ({"two_people_above": "Infinity"}, "two_people_above"),
        ({"two_people_above": "a lot"}, "two_people_above"),
        ({"two_people_above": "none"}, "two_people_above"),
        ({"two_people_above": "1.005"}, "two_people_above"),
        ({"two_people_above": "1e30"}, "two_people_above"),
        ({"two_people_above": "1.000"}, "two_people_above"),
        ({"two_people_above": "1,000"}, "two_people_above"),
        ({"two_people_above": "1_000"}, "two_people_above"),
        ({"approver_daily_cap": ""}, "approver_daily_cap"),
        ({"customer_daily_cap": None}, "customer_daily_cap"),
        ({"expiry_hours": 0}, "expiry_hours"),
        ({"expiry_hours": 2161}, "expiry_hours"),
        ({"expiry_hours": "48"}, "expiry_hours"),
        ({"expiry_hours": True}, "expiry_hours"),
        ({"warn_before_hours": 48}, "warn_before_hours"),
        ({"warn_before_hours": -1}, "warn_before_hours"),
        ({"requesters_may_sign": "no"}, "requesters_may_sign"),
        ({"command_line": "yes"}, "command_line"),
        ({"comand_line": "deny"}, "comand_line"),
        ({"roles": {"agent": {"limit": "1.00", "users": "UANN"}}}, "roles.agent.users"),
        ({"roles": {"agent": {"limit": "1.00", "users": ["ann"]}}}, "roles.agent.users.0"),
        ({"roles": {"agent": {"limit": "1.00", "users": ["@ANN"]}}}, "roles.agent.users.0"),
        ({"roles": {"agent": {"limit": "1.00", "groups": ["UANN"]}}}, "roles.agent.groups.0"),
        ({"roles": {"agent": {"limit": "off", "users": []}}}, "roles.agent.limit"),
        ({"roles": {"agent": {"users": []}}}, "roles.agent.limit"),
        ({"roles": {"agent": {"limit": "1.001", "users": []}}}, "roles.agent.limit"),
        (
            {
                "roles": {
                    "agent": {"limit": "1.00", "users": []},
                    "lead": {"limit": 1, "users": []},
                }
            },
            "roles",
        ),
    ],
)
def test_what_is_wrong_is_named_by_its_field(settings: Any, field: str) -> None:
    table = {"currency": "CAD", "roles": ROLES, "expiry_hours": 48} | settings

    assert problems(table) == [f"approvals.{field}"]


def test_all_wrong_fields_are_named_at_once_and_no_value() -> None:
    table = {"currency": "CAD", "roles": ROLES, "expiry_hours": "xoxb-secret", "typo": "xoxb-2"}

    with pytest.raises(PolicyRefused) as caught:
        read_policy(table, file="handrail.toml")

    assert [field for field, _ in caught.value.problems] == [
        "approvals.expiry_hours",
        "approvals.typo",
    ]
    assert "xoxb" not in str(caught.value)


def test_a_short_expiry_is_warned_about_within_it() -> None:
    assert policy(expiry_hours=1).warn_before_hours == 0
    assert policy(expiry_hours=2).warn_before_hours == 1


@pytest.mark.parametrize(
    ("text", "beyond", "name"),
    [
        ("0.00", False, "agent"),
        ("100.00", False, "agent"),
        ("100.01", False, "team_lead"),
        ("500.00", False, "team_lead"),
        ("500.01", False, "head"),
        ("0.00", True, "head"),
    ],
)
def test_the_needed_role_is_the_lowest_that_covers(text: str, beyond: bool, name: str) -> None:
    needed = policy().needed_role(amount(text, beyond=beyond))

    assert needed is not None
    assert needed.name == name


def test_a_role_without_people_is_passed_over() -> None:
    roles = {**ROLES, "agent": {"limit": "100.00", "users": [], "groups": []}}

    needed = policy(roles=roles).needed_role(amount("1.00"))

    assert needed is not None
    assert needed.name == "team_lead"


@pytest.mark.parametrize(
    ("text", "beyond", "people"), [("200.00", False, 1), ("200.01", False, 2), ("0.00", True, 2)]
)
def test_two_people_sign_above_the_amount(text: str, beyond: bool, people: int) -> None:
    rules = policy(two_people_above="200.00")

    assert rules.signatures_needed(amount(text, beyond=beyond)) == people
    assert policy().signatures_needed(amount(text, beyond=beyond)) == 1


@pytest.mark.parametrize(
    ("given", "practice", "allowed"),
    [
        ("allow", True, True),
        ("allow", False, True),
        ("deny", True, False),
        ("deny", False, False),
        (None, True, True),
        (None, False, False),
    ],
)
def test_the_command_line_is_denied_unless_the_shop_is_the_practice_shop(
    given: str | None, practice: bool, allowed: bool
) -> None:
    rules = policy(command_line=given)

    assert rules.allows_command_line(practice_shop=practice) is allowed


def other_policies() -> list[Policy]:
    """Return policies that differ from the plain one in one thing each."""
    return [
        policy(two_people_above="1.00"),
        policy(requesters_may_sign=True),
        policy(count_reships=True),
        policy(approver_daily_cap="1.00"),
        policy(customer_daily_cap="1.00"),
        policy(expiry_hours=49),
        policy(warn_before_hours=1),
        policy(command_line="deny"),
        policy(command_line="allow"),
        policy(currency="USD"),
        policy(roles={**ROLES, "head": {"limit": "none", "users": []}}),
        policy(roles={**ROLES, "head": {"limit": "600.00", "users": ["UHED"]}}),
        policy(roles={**ROLES, "head": {"limit": "none", "users": ["UHED"], "groups": ["S1"]}}),
    ]


def test_every_rule_is_in_the_version() -> None:
    versions = {policy().version} | {other.version for other in other_policies()}

    assert len(versions) == 1 + len(other_policies())


def test_the_order_of_people_is_not_in_the_version() -> None:
    swapped = {**ROLES, "agent": {**ROLES["agent"], "users": ["UART", "UANN"]}}

    assert policy(roles=swapped).version == policy().version
