"""The Bolt app of ``handrail serve``: the gate, and an answer for everything else."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any, Final

from slack_bolt import Ack, App

from bot.slack.attach import GateMiddleware
from bot.slack.calls import web_client
from bot.slack.gate import Gate
from bot.slack.settings import SlackSecrets, SlackSettings

__all__ = ["make_app"]

_ANY: Final = re.compile(".*", re.DOTALL)


def make_app(settings: SlackSettings, secrets: SlackSecrets, gate: Gate) -> App:
    """Return the app, with the gate in front and catch-alls behind it.

    What nobody acknowledges counts as a failure at Slack, which switches off an app that fails too
    often, and shows a warning to whoever pressed. So everything that the app is subscribed to and
    that is not ours is acknowledged, and comes to nothing.
    """
    signing = secrets.signing_secret
    log = logging.getLogger("handrail.slack.bolt")
    log.setLevel(logging.ERROR)  # it would warn of our client: it finds the token by itself too
    app = App(
        logger=log,
        client=web_client(secrets.bot_token.get_secret_value(), api=settings.api),
        signing_secret=None if signing is None else signing.get_secret_value(),
        token_verification_enabled=False,  # the desk asked who we are already
        request_verification_enabled=signing is not None,
        # Behind it Bolt asks Slack who we are. While Slack does not say, it would acknowledge what
        # nobody has stored.
        before_authorize=GateMiddleware(gate),
    )
    app.event(_ANY)(_nothing)
    for catch in (app.action, app.view, app.view_closed, app.shortcut, app.command, app.options):
        catch(_ANY)(_acknowledged)
    app.error(_told)
    return app


def _nothing(event: Mapping[str, Any]) -> None:
    """Come to nothing: Bolt has acknowledged it."""


def _acknowledged(ack: Ack) -> None:
    ack()


def _told(error: Exception, logger: Any) -> None:
    """Log an error without the request: it may hold what a customer wrote."""
    logger.error("a request could not be handled: %s", type(error).__name__)
