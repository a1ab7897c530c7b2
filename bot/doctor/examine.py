"""All checks in their order: what needs no Slack first, then what Slack has to say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from bot.doctor.configured import check_approvals, check_model, check_settings
from bot.doctor.findings import Check, Finding, Level, examine, warning
from bot.doctor.places import check_channels
from bot.doctor.roles import check_approvers, check_named
from bot.doctor.storage import check_disk, check_lock, check_sqlite, check_the_store
from bot.doctor.tokens import (
    APP_TOKEN,
    BOT_TOKEN,
    Bot,
    check_app_token,
    check_bot_token,
    check_kinds,
)
from bot.now import now_us
from bot.settings import Settings
from bot.slack.calls import Calls, web_client
from bot.slack.people import People
from bot.slack.settings import Mode

__all__ = ["examine_here", "examine_slack"]


def examine_here(settings: Settings) -> Iterator[Finding]:
    """Look at everything that needs no Slack."""
    policy, store = settings.policy(), settings.store
    checks: tuple[Check, ...] = (
        partial(check_settings, settings),
        partial(check_approvals, policy),
        partial(check_model, settings),
        check_sqlite,
        partial(check_the_store, store),
        partial(check_disk, store),
        partial(check_lock, store),
    )
    return examine(checks)


def examine_slack(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Look at the tokens and at what Slack says of them, of the channels and of the people."""
    kinds = list(check_kinds(environ, settings.slack.mode))
    yield from kinds
    if any(each.level is Level.PROBLEM for each in kinds):
        yield _unasked("a token is missing or is another one")
        return
    api = settings.slack.api
    calls = Calls(web_client(environ[BOT_TOKEN].strip(), api=api))
    found: list[Bot] = []
    yield from check_bot_token(calls, found)
    if settings.slack.mode is Mode.SOCKET:
        token = environ[APP_TOKEN].strip()
        app_id = found[0].app_id if found else None
        yield from check_app_token(Calls(web_client(token, api=api)), token, app_id)
    if not found:
        yield _unasked("Slack did not say who the bot is")
        return
    yield from _examine_workspace(settings, calls, found[0])


def _examine_workspace(settings: Settings, calls: Calls, bot: Bot) -> Iterator[Finding]:
    policy, slack = settings.policy(), settings.slack
    people = People(calls, team_id=bot.team_id, groups=policy.groups, now_us=now_us, troubles=None)
    checks: tuple[Check, ...] = (
        partial(check_channels, calls, slack.channels),
        partial(check_approvers, people, policy),
        partial(check_named, people, "operators", slack.operators),
        partial(check_named, people, "viewers", slack.viewers),
    )
    return examine(checks)


def _unasked(why: str) -> Finding:
    return warning("channels", f"channels, roles and operators were not looked up: {why}")
