"""Settings: who decides, what each limit's variable is, and how a bad one is refused."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from bot.errors import SettingRefused
from bot.places import variable_of
from bot.plan import choose_profile
from bot.settings import Settings, default_store, load_settings
from bot.shop_settings import ShopSettings
from loop import LIMIT_NAMES, PRICES, Limits, Price, get_profile
from recordings import Match
from tests.bot.conftest import Cli
from tools import PRACTICE_TODAY

SECRET = "hunter2-SECRET"


@pytest.fixture(autouse=True)
def _home(home: Path) -> None:
    """Each test has a folder of its own."""


def limits(settings: Settings) -> Limits:
    return choose_profile(settings, {}).limits


def test_without_anything_the_defaults_stand() -> None:
    settings = load_settings()

    assert settings.profile == "resolver"
    assert settings.model == "chat-small"
    assert settings.match is Match.STRICT
    assert settings.day_of_a_run() == date(2026, 10, 9)
    assert settings.store == default_store()
    assert settings.prices() == PRICES
    assert limits(settings) == get_profile("resolver").limits


def test_the_environment_decides_over_dotenv_over_toml(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("handrail.toml").write_text(
        'profile = "desk"\nmodel = "toml"\n[limits]\nmax_steps = 1\nmax_errors = 1\n'
        "max_seconds = 1\n",
        encoding="utf-8",
    )
    Path(".env").write_text(
        "HANDRAIL_MODEL=dotenv\nHANDRAIL_MAX_STEPS=2\nHANDRAIL_MAX_ERRORS=2\nSLACK_X=other\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("HANDRAIL_MAX_STEPS", "3")
    settings = load_settings()

    assert (settings.profile, settings.model) == ("desk", "dotenv")
    assert limits(settings).max_steps == 3
    assert limits(settings).max_errors == 2
    assert limits(settings).max_seconds == Decimal(1)


VALUES = {
    "max_steps": ("3", 3),
    "max_seconds": ("1.5", Decimal("1.5")),
    "clock": ("wall", "wall"),
    "time_check": ("after_step", "after_step"),
    "max_cost_usd": ("0.0005", Decimal("0.0005")),
    "repeat": ("any", "any"),
    "allowed_repeats": ("none", None),
    "duplicates_in_reply": ("stop", "stop"),
    "max_errors": ("none", None),
    "max_result_chars": ("200", 200),
    "max_calls_per_step": ("1", 1),
}


def test_every_limit_has_a_case_here() -> None:
    assert set(VALUES) == set(LIMIT_NAMES)


@pytest.mark.parametrize("name", LIMIT_NAMES)
def test_each_limit_has_a_variable_of_its_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, value = VALUES[name]
    monkeypatch.setenv(variable_of(name), text)
    given = limits(load_settings())

    assert getattr(given, name) == value
    assert given == get_profile("resolver").limits.changed(**{name: getattr(given, name)})


@pytest.mark.parametrize("name", ["RESOLVER_MAX_STEPS", "ASSISTANT_MODEL"])
def test_the_old_names_are_not_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "1")

    assert limits(load_settings()).max_steps == 8


def test_an_empty_variable_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_MAX_STEPS", "")

    assert limits(load_settings()).max_steps == 8


def test_models_have_prices_of_their_own() -> None:
    Path("handrail.toml").write_text(
        '[models."llama3:8b"]\nfree = true\nask = "json"\n'
        "[models.chat-small]\nusd_in = 0.2\nusd_out = 1\n",
        encoding="utf-8",
    )
    settings = load_settings()
    prices = settings.prices()
    local = settings.model_copy(update={"model": "llama3:8b"})

    assert prices["llama3:8b"] == Price(usd_in=Decimal(0), usd_out=Decimal(0))
    assert prices["chat-small"] == Price(usd_in=Decimal("0.2"), usd_out=Decimal(1))
    assert prices["chat-strong"] == PRICES["chat-strong"]
    assert choose_profile(local, {}).ask == "json"


def test_the_store_lies_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/here")

    assert default_store() == Path("/here/handrail/handrail.sqlite3")


@pytest.mark.parametrize("base", ["here", "./here", ""])
def test_a_relative_data_folder_is_as_none(monkeypatch: pytest.MonkeyPatch, base: str) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", base)
    monkeypatch.setenv("HOME", "/a-home")

    assert default_store() == Path("/a-home/.local/share/handrail/handrail.sqlite3")


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("HANDRAIL_PROFILE", "environment variable HANDRAIL_PROFILE: is one of resolver, "),
        ("HANDRAIL_MATCH", "environment variable HANDRAIL_MATCH: "),
        ("HANDRAIL_TODAY", "environment variable HANDRAIL_TODAY: "),
        ("HANDRAIL_MAX_STEPS", "environment variable HANDRAIL_MAX_STEPS: "),
        ("HANDRAIL_CLOCK", "environment variable HANDRAIL_CLOCK: "),
        ("HANDRAIL_MAX_STEP", "environment variable HANDRAIL_MAX_STEP: there is no such setting"),
        ("HANDRAIL_LIMITS", "environment variable HANDRAIL_LIMITS: there is no such setting"),
    ],
)
def test_a_bad_variable_is_named_and_its_value_is_not(
    name: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, SECRET)

    with pytest.raises(SettingRefused) as refused:
        load_settings()

    assert str(refused.value).startswith(place)
    assert SECRET not in str(refused.value) + refused.value.hint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"HANDRAIL_MODEL=a\nHANDRAIL_MATCH={SECRET}\n", ".env, line 2, HANDRAIL_MATCH: "),
        (f"HANDRAIL_MAX_STEPS={SECRET}\n", ".env, line 1, HANDRAIL_MAX_STEPS: "),
        ("\nHANDRAIL_PROFLE=x\n", ".env, line 2, HANDRAIL_PROFLE: there is no such setting"),
        (f"A=1\n'{SECRET}\n", ".env, line 2: is not NAME=value"),
    ],
)
def test_a_bad_line_of_dotenv_is_named(text: str, said: str) -> None:
    Path(".env").write_text(text, encoding="utf-8")

    with pytest.raises(SettingRefused) as refused:
        load_settings()

    assert str(refused.value).startswith(said)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("profile = [", "handrail.toml: is not TOML: "),
        ('profle = "x"', "handrail.toml, field profle: there is no such setting"),
        (f'match = "{SECRET}"', "handrail.toml, field match: "),
        ("[limits]\nmax_step = 1", "handrail.toml, field limits.max_step: "),
        ("[limits]\nmax_steps = true", "handrail.toml, field limits.max_steps: "),
        ("[limits]\nmax_steps = -1", "handrail.toml, field limits.max_steps: "),
        ("[limits]\nmax_seconds = inf", "handrail.toml, field limits.max_seconds: "),
        ("[limits]\nmax_steps = [1]", "handrail.toml, field limits.max_steps: "),
        ("[models.a]\nusd_in = 1", "handrail.toml, field models.a: a price is usd_in and usd_out"),
        ("[models.a]\nfree = true\nusd_in = 1\nusd_out = 1", "handrail.toml, field models.a: give"),
        ("[models.a]\nusd_in = -1\nusd_out = 1", "handrail.toml, field models.a.usd_in: "),
        ("[models.a]\nusd_in = nan\nusd_out = 1", "handrail.toml, field models.a.usd_in: "),
        (
            '[slack]\nmax_cost_per_day = "1,000"',
            "handrail.toml, field slack.max_cost_per_day: an amount in US dollars has a point",
        ),
        ("[models.a]\nuzd = 1", "handrail.toml, field models.a.uzd: there is no such setting"),
    ],
)
def test_a_bad_field_of_the_toml_file_is_named(text: str, said: str) -> None:
    Path("handrail.toml").write_text(text, encoding="utf-8")

    with pytest.raises(SettingRefused) as refused:
        load_settings()

    assert str(refused.value).startswith(said)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("name", [".env", "handrail.toml"])
def test_a_file_that_is_not_utf8_is_named(name: str) -> None:
    Path(name).write_bytes(b'model = "\xff"\n')

    with pytest.raises(SettingRefused, match=f"{name}: cannot be read: it is not UTF-8 text"):
        load_settings()


def test_a_bad_setting_ends_the_command_with_status_2(cli: Cli) -> None:
    done = cli("tickets", HANDRAIL_MAX_STEP="1")

    assert done.exit_code == 2
    assert done.stderr.splitlines() == [
        "error: environment variable HANDRAIL_MAX_STEP: there is no such setting",
        "hint: did you mean HANDRAIL_MAX_STEPS?",
    ]


def test_an_option_decides_over_the_environment(cli: Cli) -> None:
    done = cli("run", "T-80008", "--limit", "max_steps=8", HANDRAIL_MAX_STEPS="1")

    assert done.exit_code == 0


def test_only_the_practice_shop_stands_still_on_a_day() -> None:
    real = date(2027, 3, 1)
    practice = load_settings()
    shop = practice.model_copy(update={"shop": ShopSettings(kind="http", url="http://127.0.0.1")})
    told = shop.model_copy(update={"today": date(2026, 1, 2)})

    assert practice.day_of_a_run(lambda: real) == PRACTICE_TODAY
    assert shop.day_of_a_run(lambda: real) == real
    assert told.day_of_a_run(lambda: real) == date(2026, 1, 2)
