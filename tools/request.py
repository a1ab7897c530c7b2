"""The JSON body of a write, as the practice shop and the ``http`` backend send and read it."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.actions import Action, action_to_dict
from tools.canonical import canonical, parse_json
from tools.errors import JsonRefused, ShopInvalid
from tools.gateway import MAX_KEY_CHARS

__all__ = ["WriteRequest", "read_request", "write_request"]

MAX_REQUEST_BYTES: Final = 20_000
"""Longest body of a write; ours have some hundred bytes."""
SEED: Final = "seed-"
"""The ids of the practice shop's earlier history begin so; a write never does."""

_Id = Annotated[str, Field(min_length=1, max_length=MAX_KEY_CHARS, pattern=r"^[!-~]+$")]


class WriteRequest(BaseModel):
    """One write: the action, and the ids under which it is known."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    operation_id: _Id
    key: _Id
    ticket_id: _Id
    action: Annotated[Action, Field(discriminator="tool")]


def write_request(action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
    """Return the canonical JSON of the write; equal arguments give equal bytes."""
    value = {
        "action": action_to_dict(action),
        "key": key,
        "operation_id": operation_id,
        "ticket_id": ticket_id,
    }
    return canonical(value).encode("ascii")


def read_request(body: bytes) -> WriteRequest:
    """Read the body of a write.

    Raises:
        ShopInvalid: it is no such body; the message holds no part of it.
    """
    if len(body) > MAX_REQUEST_BYTES:
        raise ShopInvalid("the body of the write is too long", code="invalid_body")
    try:
        value: Any = parse_json(body.decode("utf-8"))
        request = WriteRequest.model_validate(value)
    except (UnicodeDecodeError, JsonRefused, ValidationError):
        raise ShopInvalid("the body is not a write as documented", code="invalid_body") from None
    if request.operation_id.startswith(SEED):
        raise ShopInvalid(f"an operation's id never begins with {SEED}", code="invalid_body")
    return request
