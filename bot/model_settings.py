"""The tables ``[models.NAME]``: where a model answers, what its server takes, and what it costs.

Secrets are never in them: a field names the variable of the environment that holds one.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from bot.errors import SettingRefused
from bot.places import TOML
from bot.shop_settings import UserPath, Variable
from loop import (
    Ask,
    LengthField,
    Price,
    PriceBook,
    Schemas,
    Server,
    ServerRefused,
    Style,
    ToolChoice,
)

__all__ = ["CHAT_COMPLETIONS", "ModelSettings", "book_of", "refused", "server_of"]

CHAT_COMPLETIONS: Final = "chat_completions"
"""The client that comes with the package. Any other name is a plug-in's."""
DEFAULT_TIMEOUT_S: Final = 60.0
UsdPerMillion = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]


class ModelSettings(BaseModel):
    """One ``[models.NAME]`` table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: str | None = Field(
        default=None,
        max_length=2000,
        description="The server's address, such as `https://api.openai.com/v1`. Without one the "
        "model can be replayed and not asked.",
    )
    id: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="The name by which the server knows the model; on Azure the deployment. Not "
        "given: NAME.",
    )
    api_key_env: Variable | None = Field(
        default=None, description="The variable that holds the key. Not given: no key is sent."
    )
    style: Style = Field(
        default=Style.OPENAI,
        description="`openai` (a bearer token; also Ollama, llama.cpp, vLLM) or `azure`.",
    )
    api_version: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9.-]+$",
        max_length=40,
        description="Azure's, such as `2026-05-01`. Not given: its newer path without one.",
    )
    client: str = Field(
        default=CHAT_COMPLETIONS,
        min_length=1,
        max_length=100,
        description="`chat_completions`, or the name of an installed plug-in.",
    )
    timeout_s: Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)] = Field(
        default=DEFAULT_TIMEOUT_S,
        description="Longest wait for one reply, in seconds; what is left of a run bounds it too.",
    )
    stream: bool = Field(
        default=True, description="Take replies in pieces, to show when the answer is written."
    )
    reasoning_effort: str | None = Field(
        default=None,
        pattern=r"^[a-z]+$",
        max_length=20,
        description="Sent where given, such as `low`.",
    )
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        default=None,
        description="Longest reply in tokens, in place of the profile's; more for a model that "
        "reasons.",
    )
    length_field: LengthField = Field(
        default=LengthField.COMPLETION,
        description="`max_completion_tokens`, or `max_tokens` for a server that knows only that.",
    )
    tool_choice: ToolChoice = Field(
        default=ToolChoice.REQUIRED,
        description="`required` as the profile says, or `auto` or `left_out` for a server that "
        "refuses it.",
    )
    schemas: Schemas = Field(
        default=Schemas.SCHEMA,
        description="`json_schema`, or `json_object` or `left_out` for a server that refuses it.",
    )
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = Field(
        default=None, description="Sent where given. Models that reason refuse it."
    )
    ca_file: UserPath | None = Field(
        default=None, description="Certificates to trust in place of the public ones."
    )
    proxy_env: Variable | None = Field(
        default=None,
        description="The variable that holds a proxy's address. Not given: no proxy, whatever "
        "the environment says.",
    )
    plain_http: bool = Field(
        default=False,
        description="Allow http to another machine; what is sent can be read on the way.",
    )
    ask: Ask | None = Field(default=None, description="`json` for a model without tool calling.")
    free: bool = Field(default=False, description="A local model: priced at 0.")
    usd_in: UsdPerMillion | None = Field(
        default=None, description="US dollars per million tokens in."
    )
    usd_out: UsdPerMillion | None = Field(
        default=None, description="US dollars per million tokens out."
    )
    usd_cached_in: UsdPerMillion | None = Field(
        default=None,
        description="US dollars per million tokens in that the provider had cached. Not given: "
        "as any other.",
    )

    @model_validator(mode="after")
    def _has_one_price(self) -> Self:
        if self.free and (self.usd_in is not None or self.usd_out is not None):
            raise ValueError("give free = true, or usd_in and usd_out, not both")
        if (self.usd_in is None) != (self.usd_out is None):
            raise ValueError("a price is usd_in and usd_out; one of them is missing")
        if self.usd_cached_in is not None and self.usd_in is None:
            raise ValueError("usd_cached_in needs usd_in and usd_out")
        return self

    @property
    def price(self) -> Price | None:
        """The price; None where the table gives none."""
        if self.free:
            return Price(usd_in=Decimal(0), usd_out=Decimal(0))
        if self.usd_in is None or self.usd_out is None:
            return None
        return Price(usd_in=self.usd_in, usd_out=self.usd_out, usd_cached_in=self.usd_cached_in)


def server_of(name: str, models: Mapping[str, ModelSettings], environ: Mapping[str, str]) -> Server:
    """Return where a model is asked.

    Raises:
        SettingRefused: its table names no server, or names one that cannot be used.
    """
    own = models.get(name)
    if own is None or own.base_url is None:
        raise SettingRefused(
            _place(name, "base_url"),
            "is not given, so there is no server to ask",
            hint=f"docs/models.md says how to ask a server; handrail run replays {name} from "
            "recordings where --live is not given",
        )
    try:
        return Server(
            base_url=own.base_url,
            model=own.id or name,
            api_key=_secret(name, "api_key_env", own.api_key_env, environ),
            style=own.style,
            api_version=own.api_version,
            timeout_s=own.timeout_s,
            stream=own.stream,
            reasoning_effort=own.reasoning_effort,
            length_field=own.length_field,
            tool_choice=own.tool_choice,
            schemas=own.schemas,
            temperature=own.temperature,
            ca_file=own.ca_file,
            proxy=_secret(name, "proxy_env", own.proxy_env, environ),
            plain_http=own.plain_http,
        )
    except ServerRefused as error:
        raise refused(name, error) from None


def book_of(name: str, models: Mapping[str, ModelSettings], base_url: str) -> PriceBook:
    """Return what prices a model's live replies at its server.

    Prices of other tables count where they have the same server, and nowhere else.
    """
    own = models[name]
    beside = {other: table for other, table in models.items() if other != name}
    return PriceBook(
        base_url=base_url,
        server_model=own.id or name,
        own=own.price,
        others={
            table.id or other: table.price
            for other, table in beside.items()
            if table.price is not None and _is_same(table.base_url, base_url)
        },
        free=own.free,
    )


def refused(name: str, error: ServerRefused) -> SettingRefused:
    """Return what is wrong with a server, with the place where it stands."""
    return SettingRefused(_place(name, error.part), error.problem)


def _secret(
    name: str, field: str, variable: str | None, environ: Mapping[str, str]
) -> SecretStr | None:
    if variable is None:
        return None
    value = environ.get(variable, "").strip()
    if not value:
        raise SettingRefused(
            _place(name, field),
            f"names the variable {variable}, which is not set",
            hint=f"set {variable} in the environment, or in the file .env",
        )
    return SecretStr(value)


def _is_same(one: str | None, other: str) -> bool:
    return one is not None and one.rstrip("/") == other.rstrip("/")


def _place(name: str, field: str) -> str:
    return f'{TOML}, field models."{name}".{field}'
