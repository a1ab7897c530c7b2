"""The tables ``[shop]``, ``[refunds]``, ``[approvals]``: what they take, and the example file."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from approvals import NO_POLICY, CommandLine, PolicyRefused
from approvals.policy_file import _ApprovalsTable, _RoleTable
from bot.errors import SettingRefused
from bot.model_settings import ModelSettings
from bot.settings import Settings, load_settings
from bot.shop_settings import IdSettings, RefundSettings, ShopSettings, TraitSettings
from loop import LIMIT_NAMES
from tests.docs_reference import DOCS
from tools import HTTP_TRAITS, PRACTICE_IDS

EXAMPLE = DOCS / "handrail.example.toml"
ELSEWHERE = {
    "ask",
    "data",
    "keep_days",
    "match",
    "recordings",
    "shop_file",
    "store",
    "today",
}
"""Settings of one's own machine, which the example leaves to their defaults."""
BAD_PATTERN = '[shop.ids.order]\npattern = "("\nwords = "x"'


@pytest.fixture(autouse=True)
def _home(home: Path) -> None:
    """Each test has a folder of its own."""


def settings(toml: str) -> Settings:
    Path("handrail.toml").write_text(toml, encoding="utf-8")
    return load_settings()


def test_without_a_table_it_is_the_practice_shop_and_nobody_may_approve() -> None:
    found = load_settings()

    assert found.shop == ShopSettings()
    assert found.shop.is_practice
    assert found.refunds.gateway == "shop"
    assert found.policy() == NO_POLICY
    assert found.practice_file.name == "handrail-shop.sqlite3"
    assert found.practice_file.parent == found.store.parent


@pytest.mark.parametrize("toml", ['shop = "larkfield"', '[shop]\nkind = "larkfield"'])
def test_the_kind_may_stand_alone(toml: str) -> None:
    assert settings(toml).shop.kind == "larkfield"


def test_the_variable_decides_about_the_kind_and_keeps_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HANDRAIL_SHOP", "http")
    found = settings('[shop]\nkind = "practice"\nurl = "https://shop.example.com"')

    assert (found.shop.kind, found.shop.url) == ("http", "https://shop.example.com")


def test_a_service_has_its_traits_and_the_forms_of_its_ids() -> None:
    shop = settings(
        '[shop]\nkind = "http"\nurl = "https://shop.example.com"\n'
        "[shop.traits]\nhonours_keys = false\n"
        '[shop.ids.order]\npattern = "[0-9]{9}"\nwords = "9 digits"\n'
    ).shop

    assert shop.traits is not None
    assert not shop.traits.traits().honours_keys
    assert shop.traits.traits().settle_s == HTTP_TRAITS.settle_s
    assert shop.id_forms().order.fits("123456789")
    assert shop.id_forms().payment == PRACTICE_IDS.payment


@pytest.mark.parametrize(
    ("toml", "place", "problem"),
    [
        ('[shop]\nkind = "http"', "field shop", "kind http needs url"),
        ('[shop]\nurl = "https://x"', "field shop", "url is for kind http"),
        ('[shop]\nkinds = "http"', "field shop.kinds", "no such setting"),
        ('[shop]\nkind = "http"\nurl = "https://x"\ntimeout_s = 0', "shop.timeout_s", "greater"),
        ('[shop]\nkind = "http"\nurl = "https://x"\nauth_env = "a b"', "shop.auth_env", "pattern"),
        (
            f'[shop]\nkind = "http"\nurl = "https://x"\n{BAD_PATTERN}',
            "shop.ids.order",
            "not a regular expression",
        ),
        ('[refunds]\ngateway = "paypal"', "field refunds.gateway", "'shop' or 'stripe'"),
        ("[refunds]\nkey = 'sk_live_secret'", "field refunds.key", "no such setting"),
    ],
)
def test_a_wrong_field_is_named_with_its_place(toml: str, place: str, problem: str) -> None:
    with pytest.raises(SettingRefused) as refused:
        settings(toml)

    assert place in str(refused.value)
    assert problem in str(refused.value)
    assert "sk_live_secret" not in str(refused.value)


def test_a_wrong_policy_is_refused_at_once_with_every_field() -> None:
    with pytest.raises(PolicyRefused) as refused:
        settings('[approvals]\ncurrency = "CAD"\nexpiry = 1\n[approvals.roles.x]\nlimit = 1.5\n')

    assert "approvals.expiry" in str(refused.value)
    assert "approvals.roles.x.limit" in str(refused.value)


def test_the_example_is_read_as_it_stands_and_names_who_may_approve() -> None:
    policy = settings(EXAMPLE.read_text("utf-8")).policy()

    assert [role.name for role in policy.roles] == ["agent", "team_lead", "head"]
    assert policy.command_line is CommandLine.ALLOW


def test_the_example_is_read_with_all_that_is_commented_out() -> None:
    """Its lines that begin with ``# `` and a field or a table are settings too."""
    found = settings(uncommented())

    assert found.shop.traits is not None
    assert found.shop.ids["order"].words == "LK- and 6 digits"
    assert found.limit_texts() == {"max_steps": "6"}


def test_the_example_has_every_field_there_is() -> None:
    table = tomllib.loads(uncommented())

    assert set(Settings.model_fields) - ELSEWHERE == set(table)
    assert fields(ShopSettings) == set(table["shop"])
    assert fields(TraitSettings) == set(table["shop"]["traits"])
    assert fields(IdSettings) == set(table["shop"]["ids"]["order"])
    assert fields(RefundSettings) == set(table["refunds"])
    assert fields(_ApprovalsTable) == set(table["approvals"])
    assert fields(_RoleTable) == set(table["approvals"]["roles"]["agent"])
    assert set(table["limits"]) <= set(LIMIT_NAMES)
    assert set(table["models"]["chat-small"]) <= fields(ModelSettings)


def test_every_field_of_the_policy_is_in_the_docs() -> None:
    text = (DOCS / "approvals.md").read_text("utf-8")

    assert [name for name in fields(_ApprovalsTable) | fields(_RoleTable) if name not in text] == []


def fields(model: type[BaseModel]) -> set[str]:
    return set(model.model_fields)


def uncommented() -> str:
    """Return the example with every field that it comments out, and the shop as kind http."""
    setting = re.compile(r"^# (?=\[|[a-z_]+ = )", re.MULTILINE)
    text = setting.sub("", EXAMPLE.read_text("utf-8"))
    return text.replace('kind = "practice"', 'kind = "http"', 1)
