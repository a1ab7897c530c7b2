"""The table ``[slack]``, and the secrets, which only the environment holds.

Who may approve is not in it: being in a channel, looking at drafts and deciding about money are
three things.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, field_validator

from bot.errors import SettingRefused

__all__ = ["SLACK_API", "Mode", "SlackSecrets", "SlackSettings", "read_secrets"]

SLACK_API: Final = "https://slack.com/api/"
_DOLLARS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")

ChannelId = Annotated[str, StringConstraints(pattern=r"^[CG][A-Z0-9]{1,20}$")]
PersonId = Annotated[str, StringConstraints(pattern=r"^[UWS][A-Z0-9]{1,20}$")]
AppId = Annotated[str, StringConstraints(pattern=r"^[AB][A-Z0-9]{1,20}$|^Wf[A-Za-z0-9]{1,20}$")]


class Mode(StrEnum):
    """How Slack reaches us."""

    SOCKET = "socket"
    HTTP = "http"


class SlackSettings(BaseModel):
    """Where tickets come from, who may do what in a thread, and how much may be spent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    channels: frozenset[ChannelId] = Field(
        default_factory=frozenset, description="The channels whose messages are tickets, by id."
    )
    apps: frozenset[AppId] = Field(
        default_factory=frozenset,
        description="The apps, bots and workflows whose forms are tickets, by id (`A…`, `B…`, "
        "`Wf…`). From any other bot nothing counts.",
    )
    viewers: frozenset[PersonId] = Field(
        default_factory=frozenset,
        description="Who may use a draft's buttons: users `U…` and user groups `S…`. Not given: "
        "every full member of the ticket's channel.",
    )
    operators: frozenset[PersonId] = Field(
        default_factory=frozenset,
        description="Who may pause, resume and handle dead letters: users and user groups. Not "
        "given: nobody.",
    )
    mode: Mode = Field(
        default=Mode.SOCKET,
        description="`socket` (Slack is called, nothing listens) or `http` (the Events API).",
    )
    host: str = Field(default="127.0.0.1", description="`http`: the address to listen at.")
    port: int = Field(default=3000, ge=0, le=65535, description="`http`: the port to listen at.")
    workers: int = Field(
        default=4, ge=1, le=64, description="How many runs are in progress at once, at most."
    )
    max_cost_per_day: Decimal | None = Field(
        default=None,
        ge=0,
        allow_inf_nan=False,
        description="US dollars of model cost in 24 hours; once reached, tickets wait.",
    )
    max_runs_per_hour: int | None = Field(
        default=None, ge=0, description="Runs begun in 60 minutes; once reached, tickets wait."
    )
    history_tokens: int = Field(
        default=1_500,
        ge=0,
        description="How much of the thread a further run is given, its last draft included, in "
        "tokens as they are estimated: four ASCII characters to one, two bytes of any other. The "
        "newest part, a reply or the draft, is always given.",
    )
    remind_before_hours: int = Field(
        default=24,
        ge=0,
        le=24 * 90,
        description="How long before it expires a thread is reminded of a proposal that nobody "
        "decided; 0 is never. `approvals.warn_before_hours` says when the role is called.",
    )
    api: str = Field(default=SLACK_API, description="The address of Slack's Web API.")

    @field_validator("max_cost_per_day", mode="before")
    @classmethod
    def _in_dollars(cls, value: object) -> object:
        """Refuse a text that could be read in two ways; costs are parts of a cent as well."""
        if isinstance(value, str) and not _DOLLARS.fullmatch(value):
            raise ValueError(
                "an amount in US dollars has a point before the cents and no mark between "
                "thousands, such as 1250.00"
            )
        return value


class SlackSecrets(BaseModel):
    """What Slack knows us by. Shown nowhere: not in a repr, not in a message."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bot_token: SecretStr
    app_token: SecretStr | None = None
    """For Socket Mode."""
    signing_secret: SecretStr | None = None
    """For the Events API."""


def read_secrets(environ: Mapping[str, str], mode: Mode) -> SlackSecrets:
    """Return the secrets of the environment that a mode needs.

    Raises:
        SettingRefused: one is missing or is another kind of token; the message names the variable.
    """
    bot = _secret(environ, "SLACK_BOT_TOKEN", "xoxb-")
    match mode:
        case Mode.SOCKET:
            return SlackSecrets(
                bot_token=bot, app_token=_secret(environ, "SLACK_APP_TOKEN", "xapp-")
            )
        case Mode.HTTP:
            return SlackSecrets(
                bot_token=bot, signing_secret=_secret(environ, "SLACK_SIGNING_SECRET", "")
            )


def _secret(environ: Mapping[str, str], name: str, prefix: str) -> SecretStr:
    value = environ.get(name, "").strip()
    where = f"environment variable {name}"
    if not value:
        raise SettingRefused(
            where, "is not set", hint="handrail manifest prints the app that has these tokens"
        )
    if not value.startswith(prefix):
        raise SettingRefused(where, f"does not begin with {prefix}", hint="it is another token")
    return SecretStr(value)
