"""Where a model answers, and what its server understands: values, checked when they are built."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from loop.errors import ServerRefused

__all__ = ["LengthField", "Schemas", "Server", "Style", "ToolChoice"]

DEFAULT_TIMEOUT_S: Final = 60.0
"""Longest wait for one reply, in seconds (the resolver's, reference facts B10)."""


class Style(StrEnum):
    """How a server is addressed."""

    OPENAI = "openai"
    """``BASE/chat/completions`` with a bearer token: OpenAI, Ollama, llama.cpp, vLLM and others."""
    AZURE = "azure"
    """Azure OpenAI, with its ``api-key`` header. With a version of the API the model is a
    deployment in the path; without one it is asked at ``/openai/v1``."""


class LengthField(StrEnum):
    """The field that says how long a reply may be."""

    COMPLETION = "max_completion_tokens"
    """OpenAI's and Azure's; reasoning counts."""
    TOKENS = "max_tokens"
    """Of before; some servers know only this one."""


class ToolChoice(StrEnum):
    """What becomes of a profile that requires a call in each reply."""

    REQUIRED = "required"
    AUTO = "auto"
    """For servers that refuse ``required``: a reply without a call then counts as an error."""
    LEFT_OUT = "left_out"
    """For servers that refuse the field."""


class Schemas(StrEnum):
    """How the form of an answer is asked for, where a profile wants one."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    """For servers without schemas: any JSON object; the prompt alone says which."""
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One model on one server.

    Secrets stand in ``SecretStr``: they show in no repr. The address holds none.

    Raises:
        ServerRefused: the parts cannot be used together; the message names the part.
    """

    base_url: str
    """Such as ``https://api.openai.com/v1``; plain http to another machine needs ``plain_http``."""
    model: str
    """The name by which the server knows it; on Azure the deployment."""
    api_key: SecretStr | None = None
    style: Style = Style.OPENAI
    api_version: str | None = None
    """Azure's, such as ``2026-05-01``."""
    timeout_s: float = DEFAULT_TIMEOUT_S
    """Longest wait for one reply, in seconds. What is left of a run's budget bounds it too."""
    stream: bool = True
    """Replies come in pieces, so that it shows when the answer is written. Half a reply is none."""
    reasoning_effort: str | None = None
    """Sent where given."""
    length_field: LengthField = LengthField.COMPLETION
    tool_choice: ToolChoice = ToolChoice.REQUIRED
    schemas: Schemas = Schemas.SCHEMA
    temperature: float | None = None
    """Sent where given. Models that reason refuse it."""
    ca_file: Path | None = None
    """Certificates to trust in place of the public ones."""
    proxy: SecretStr | None = None
    """Address of a proxy; it may hold a password."""
    plain_http: bool = False
    """Allow http to another machine: what is sent can be read on the way."""

    def __post_init__(self) -> None:
        if not self.base_url:
            raise ServerRefused("base_url", "is missing; give the address of the server")
        if not self.model:
            raise ServerRefused("id", "is missing; give the name that the server knows")
        if not 0 < self.timeout_s < float("inf"):
            raise ServerRefused("timeout_s", "is a number of seconds above 0")
        if self.api_version is not None and self.style is not Style.AZURE:
            raise ServerRefused("api_version", "is for Azure alone")
