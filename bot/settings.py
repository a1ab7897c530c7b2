"""Settings: from the environment, a ``.env`` and a ``handrail.toml`` of the working directory.

The first of these that gives a setting decides; ``docs/settings.md`` lists them all. A message
about a setting names where it stands and what is allowed, never the value: it may be a secret.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from approvals import NO_POLICY, Policy, read_policy
from bot.errors import SettingRefused
from bot.model_settings import ModelSettings
from bot.now import local_day
from bot.places import DOTENV, PREFIX, TOML, Places, meant, variable_of
from bot.shop_settings import IdSettings, RefundSettings, ShopSettings, TraitSettings, UserPath
from bot.slack.settings import SlackSettings
from loop import (
    LIMIT_NAMES,
    PRICES,
    PROFILES,
    Ask,
    LimitRefused,
    Price,
    limits_from_text,
)
from recordings import Match
from tools import PRACTICE_TODAY

__all__ = [
    "TABLES",
    "Settings",
    "default_store",
    "load_settings",
    "read_day",
    "variable_names",
]

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
TABLES: Final = ("limits", "models", "shop", "refunds", "slack", "approvals")
"""Settings that are tables of the TOML file. Of their fields, each limit has a variable of its own,
and the shop's kind has ``HANDRAIL_SHOP``; the others have none."""


def default_store() -> Path:
    """Return where runs are kept unless told otherwise: the user's own data folder (XDG)."""
    base = Path(os.environ.get("XDG_DATA_HOME", ""))
    if not base.is_absolute():  # the XDG rules: a relative one is as none
        base = Path("~/.local/share").expanduser()
    return base / "handrail" / "handrail.sqlite3"


def read_day(text: str) -> date:
    """Return the day that a text such as 2026-10-09 names; no other form of ISO 8601 is one.

    Raises:
        ValueError: it names none; the message says what does.
    """
    try:
        found = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        found = None
    if found is None:
        raise ValueError("is a day such as 2026-10-09")
    return found


def _day(value: object) -> object:
    if not isinstance(value, str):
        return value  # TOML has days of its own
    return read_day(value)


Day = Annotated[date, BeforeValidator(_day)]


class Settings(BaseSettings):
    """All settings. Build them with :func:`load_settings`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        env_file=DOTENV,
        env_file_encoding="utf-8",
        toml_file=TOML,
        extra="forbid",
        frozen=True,
    )

    profile: str = Field(
        default="resolver",
        description="The profile a run uses: resolver, assistant or desk.",
    )
    model: str = Field(
        default="chat-small",
        min_length=1,
        max_length=100,
        description="The model a run asks for, by the name that recordings and prices use.",
    )
    live: bool = Field(
        default=False,
        description="Whether the model's server is asked ([models.NAME] says where), in place of "
        "recorded replies.",
    )
    ask: Ask | None = Field(
        default=None,
        description="How the model is asked: tools, or json for models without tool calling. "
        "Not given: as the model needs it.",
    )
    shop: Annotated[ShopSettings, NoDecode] = Field(
        default=ShopSettings(),
        description="The shop behind the tools: practice, http, or the name of an installed "
        "plug-in.",
    )
    refunds: RefundSettings = Field(
        default=RefundSettings(), description="Through what refunds go."
    )
    shop_file: UserPath | None = Field(
        default=None,
        description="The file of the practice shop, which keeps what was changed in it. Not "
        "given: beside the store, its name with -shop.",
    )
    data: UserPath | None = Field(
        default=None,
        description="The folder of tickets and shop data. Not given: the demo shop that ships.",
    )
    recordings: UserPath | None = Field(
        default=None,
        description="The recorded replies, a file or a folder of .jsonl files. Not given: those "
        "that ship.",
    )
    record: UserPath | None = Field(
        default=None,
        description="Where the bot in Slack keeps each run that ended as a recording. Not "
        "given: none are kept beside the store.",
    )
    match: Match = Field(
        default=Match.STRICT,
        description="How a recorded reply is found: strict (exactly this request) or sequence "
        "(by ticket and step).",
    )
    keep_days: Annotated[int, Field(ge=1, le=36_500)] | None = Field(
        default=None,
        description="For how many days recordings and the texts of ended runs are kept: what "
        "`recordings prune` and `purge` delete where they are not told. Not given: no limit.",
    )
    store: UserPath = Field(
        default_factory=default_store,
        description="The file that keeps runs, proposals, decisions and the audit.",
    )
    today: Day | None = Field(
        default=None,
        description="The day a run assumes, such as 2026-10-09. Not given: with the practice shop "
        "the day of the demo data, else the day on which the run begins, on this machine's clock.",
    )
    limits: dict[str, str | bool | int | float] = Field(
        default_factory=dict,
        description="Limits in place of the profile's; none for no limit.",
    )
    models: dict[str, ModelSettings] = Field(
        default_factory=dict,
        description="Where models are asked, how, and what they cost, by name.",
    )
    slack: SlackSettings = Field(
        default=SlackSettings(), description="Where tickets come from, and who may do what there."
    )
    approvals: dict[str, Any] | None = Field(
        default=None, description="Who may approve what. Not given: nobody."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources, the one that decides first."""
        del init_settings, env_settings, dotenv_settings, file_secret_settings
        return (
            _Variables(settings_cls),
            _DotEnvFile(settings_cls),
            TomlConfigSettingsSource(settings_cls),
        )

    @property
    def practice_file(self) -> Path:
        """Where the practice shop lies."""
        if self.shop_file is not None:
            return self.shop_file
        return self.store.with_name(f"{self.store.stem}-shop{self.store.suffix}")

    def day_of_a_run(self, real: Callable[[], date] = local_day) -> date:
        """Return the day that a run which begins now assumes; ask again for the next run.

        The practice shop stands still on the day of its data, any other shop moves with time.
        """
        if self.today is not None:
            return self.today
        return PRACTICE_TODAY if self.shop.is_practice else real()

    def policy(self) -> Policy:
        """Return who may approve what; where nothing is given, nobody.

        Raises:
            PolicyRefused: the table is wrong; the message names each field.
        """
        return NO_POLICY if self.approvals is None else read_policy(self.approvals, file=TOML)

    def limit_texts(self) -> dict[str, str]:
        """Return the limits that are set, as texts."""
        return {
            # TOML's floats without an exponent, which limits do not read
            name: format(Decimal(str(value)), "f") if isinstance(value, float) else str(value)
            for name, value in self.limits.items()
        }

    def prices(self) -> dict[str, Price]:
        """Return the price of each model that has one, settings before what ships.

        They are for recordings that do not say what a reply cost, which know a model by its name
        alone; live replies are priced by :func:`~bot.model_settings.book_of`.
        """
        own = {name: model.price for name, model in self.models.items()}
        return {**PRICES, **{name: price for name, price in own.items() if price is not None}}


def load_settings() -> Settings:
    """Return the settings of this environment and working directory.

    Raises:
        SettingRefused: a file or a value cannot be read; the message names the place.
        PolicyRefused: the approvals table is wrong.
    """
    places = Places.read()
    places.check_names(variable_names())
    try:
        settings = Settings()
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise _refused(places, fault) from None
    _check_profile(settings, places)
    _check_limits(settings, places)
    settings.policy()
    return settings


class _Variables(EnvSettingsSource):
    """The environment; each limit has a variable of its own, and so has the kind of the shop."""

    def __call__(self) -> dict[str, Any]:
        # The parent's own, also below a .env: the names in there that are not ours are not read.
        found = EnvSettingsSource.__call__(self)
        values = {name: self.env_vars.get(variable_of(name).lower()) for name in LIMIT_NAMES}
        limits = {name: value for name, value in values.items() if value}
        if isinstance(found.get("shop"), str):
            found = {**found, "shop": {"kind": found["shop"]}}
        return {**found, "limits": limits} if limits else found


class _DotEnvFile(_Variables, DotEnvSettingsSource):
    """The ``.env`` file, read as the environment is."""


def variable_names() -> list[str]:
    """Return the settings and limits that have an environment variable."""
    plain = [name for name in Settings.model_fields if name == "shop" or name not in TABLES]
    return plain + list(LIMIT_NAMES)


def _refused(places: Places, fault: Any) -> SettingRefused:
    path = tuple(str(part) for part in fault["loc"]) or ("models",)
    if path[0] == "limits":
        path = path[:2]  # what follows names the types that were tried
    if fault["type"] == "extra_forbidden":
        known = _fields_at(path)
        hint = meant(path[-1], known)
        return SettingRefused(places.of(path), "there is no such setting", hint=hint)
    return SettingRefused(places.of(path), fault["msg"].removeprefix("Value error, "))


def _fields_at(path: tuple[str, ...]) -> Iterable[str]:
    """Return the fields of the table that a path leads into."""
    match path:
        case ("models", *_):
            return ModelSettings.model_fields
        case ("shop", "traits", *_):
            return TraitSettings.model_fields
        case ("shop", "ids", *_):
            return IdSettings.model_fields
        case ("shop", *_):
            return ShopSettings.model_fields
        case ("refunds", *_):
            return RefundSettings.model_fields
        case ("slack", *_):
            return SlackSettings.model_fields
        case _:
            return Settings.model_fields


def _check_profile(settings: Settings, places: Places) -> None:
    if settings.profile not in PROFILES:
        raise SettingRefused(places.of(("profile",)), f"is one of {', '.join(PROFILES)}")


def _check_limits(settings: Settings, places: Places) -> None:
    """Check the values on a profile now: what cannot be a limit is refused for every profile."""
    try:
        given = limits_from_text(settings.limit_texts())
        next(iter(PROFILES.values())).limits.changed(**given)
    except LimitRefused as error:
        raise SettingRefused(places.of(("limits", error.limit)), str(error)) from None
