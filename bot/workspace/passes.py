"""The short-lived passes that interactions carry: trigger ids and response URLs.

A trigger opens one view within 3 seconds; a response URL answers 5 times within 30 minutes
(docs.slack.dev, "Handling user interaction").
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from bot.workspace.clock import Clock
from bot.workspace.errors import MethodRefused

__all__ = ["RESPONSE_SECONDS", "RESPONSE_USES", "TRIGGER_SECONDS", "Passes", "ResponsePass"]

TRIGGER_SECONDS = 3.0
RESPONSE_SECONDS = 30 * 60.0
RESPONSE_USES = 5


@dataclass(slots=True, kw_only=True)
class TriggerPass:
    """A trigger: who pressed, in which view if any, until when."""

    user: str
    view_id: str | None
    expires: float
    used: bool = False


@dataclass(slots=True, kw_only=True)
class ResponsePass:
    """A response URL: where it answers, on which message, until when, how often yet."""

    channel: str
    user: str
    ts: str | None
    expires: float
    left: int = RESPONSE_USES


class Passes:
    """Issues and redeems them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._triggers: dict[str, TriggerPass] = {}
        self._responses: dict[str, ResponsePass] = {}

    def new_trigger(self, user: str, view_id: str | None = None) -> str:
        """Return a trigger id."""
        trigger = f"{secrets.randbelow(10**12)}.{secrets.token_hex(16)}"
        expires = self._clock.now() + TRIGGER_SECONDS
        self._triggers[trigger] = TriggerPass(user=user, view_id=view_id, expires=expires)
        return trigger

    def redeem_trigger(self, trigger: str) -> TriggerPass:
        """Use a trigger.

        Raises:
            MethodRefused: ``invalid_trigger_id``, ``exchanged_trigger_id`` (used before) or
                ``expired_trigger_id`` (later than 3 s).
        """
        found = self._triggers.get(trigger)
        if found is None:
            raise MethodRefused("invalid_trigger_id")
        if found.used:
            raise MethodRefused("exchanged_trigger_id")
        if self._clock.now() > found.expires:
            raise MethodRefused("expired_trigger_id")
        found.used = True
        return found

    def new_response(self, channel: str, user: str, ts: str | None) -> str:
        """Return the secret part of a response URL."""
        name = secrets.token_hex(12)
        expires = self._clock.now() + RESPONSE_SECONDS
        self._responses[name] = ResponsePass(channel=channel, user=user, ts=ts, expires=expires)
        return name

    def redeem_response(self, name: str) -> ResponsePass:
        """Use a response URL once.

        Raises:
            MethodRefused: ``invalid_url``, ``expired_url`` or ``used_url``.
        """
        found = self._responses.get(name)
        if found is None:
            raise MethodRefused("invalid_url")
        if self._clock.now() > found.expires:
            raise MethodRefused("expired_url")
        if found.left <= 0:
            raise MethodRefused("used_url")
        found.left -= 1
        return found
