"""What the settings say by themselves: channels, roles, operators, the price of the model."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from approvals import Policy, PolicyRefused, Role
from bot.doctor.findings import Finding, fine, problem, warning
from bot.errors import BotError
from bot.model_settings import book_of
from bot.places import TOML
from bot.settings import Settings
from bot.slack.settings import SLACK_API
from bot.texts import counted, price_text
from loop import (
    PRICES_AS_OF,
    PROFILES,
    UNKNOWN_PRICE,
    LimitRefused,
    Price,
    limits_from_text,
)

__all__ = ["check_approvals", "check_model", "check_settings", "refused_settings"]


def refused_settings(error: BotError | PolicyRefused) -> Iterator[Finding]:
    """Yield that the settings cannot be read; nothing else can be looked at then."""
    hint = str(getattr(error, "hint", "")) or "docs/settings.md lists all settings"
    yield problem("settings", f"{error}; the rest was not looked at", hint)


def check_settings(settings: Settings) -> Iterator[Finding]:
    """Look at what the table ``[slack]`` asks for."""
    slack = settings.slack
    yield fine("settings", f"profile {settings.profile}, shop {settings.shop.kind}")
    if slack.channels:
        yield fine("settings", f"{counted(len(slack.channels), 'channel')} over {slack.mode}")
    else:
        yield problem(
            "settings",
            "no channel is named, so nothing would ever be a ticket",
            f'add [slack] channels = ["C0123456789"] to {TOML}',
        )
    if slack.api != SLACK_API:
        yield warning(
            "settings",
            "slack.api is not Slack's own address",
            "leave it out, unless this is a local workspace",
        )
    if settings.today is not None and not settings.shop.is_practice:
        yield warning(
            "settings",
            f"every run assumes the day {settings.today}, in a shop that moves on",
            "leave today out, so that a run takes the day on which it begins",
        )
    if slack.operators:
        yield fine("operators", f"{counted(len(slack.operators), 'operator')} by id")
    else:
        yield warning(
            "operators",
            "nobody may pause, resume or handle dead letters in Slack",
            f"add slack.operators to {TOML}; handrail letters works without",
        )


def check_approvals(policy: Policy) -> Iterator[Finding]:
    """Look at who may approve what, as far as the table says."""
    if not policy.roles:
        yield warning(
            "approvals",
            "nobody may approve anything: every proposal waits until it expires",
            f"add a table [approvals] to {TOML}; docs/approvals.md explains it",
        )
        return
    for role in policy.roles:
        yield from _check_role(role)
    held = [role for role in policy.roles if not role.is_empty]
    top = held[-1].limit if held else None
    if top is not None:
        yield warning(
            "approvals",
            f"nobody may approve more than {top}, or another currency",
            'give a role with limit = "none" to somebody, or leave such tickets to people',
        )


def check_model(settings: Settings) -> Iterator[Finding]:
    """Look at whether the model has a price: an unknown cost is never counted as zero."""
    own = settings.models.get(settings.model)
    if own is None or own.base_url is None:
        yield from _replayed_price(settings)
        return
    source = book_of(settings.model, settings.models, own.base_url).source()
    if source == UNKNOWN_PRICE:
        yield _unpriced(settings)
    else:
        yield _priced(settings.model, own.price, source)


def _replayed_price(settings: Settings) -> Iterator[Finding]:
    price = settings.prices().get(settings.model)
    own = settings.models.get(settings.model)
    is_own = own is not None and own.price is not None
    if price is None:
        yield _unpriced(settings)
    else:
        source = "the settings" if is_own else f"the shipped prices of {PRICES_AS_OF}"
        yield _priced(settings.model, price, source)


def _priced(model: str, price: Price | None, source: str) -> Finding:
    if price is None:
        return fine("prices", f"{model} is priced by {source}")
    if not price.usd_in and not price.usd_out:
        return fine("prices", f"{model} is counted as free of cost, by {source}")
    return fine("prices", f"{model} costs {price_text(price, source)}")


def _check_role(role: Role) -> Iterator[Finding]:
    limit = "any amount" if role.limit is None else f"up to {role.limit}"
    if role.is_empty:
        yield problem(
            "approvals",
            f"role {role.name}, {limit}: it names nobody, so nobody holds it",
            f"add users or groups to approvals.roles.{role.name}, or take the role out",
        )
    else:
        people = f"{counted(len(role.users), 'user')}, {counted(len(role.groups), 'group')}"
        yield fine("approvals", f"role {role.name}, {limit}: {people}")


def _unpriced(settings: Settings) -> Finding:
    what = f"{settings.model} has no price, so the cost of a run is unknown"
    do = f'give usd_in and usd_out, or free = true, in [models."{settings.model}"] in {TOML}'
    if settings.slack.max_cost_per_day is not None or _cost_limit(settings) is not None:
        return problem("prices", f"{what}, and a limit of cost is set", do)
    return warning("prices", what, do)


def _cost_limit(settings: Settings) -> Decimal | None:
    limits = PROFILES[settings.profile].limits
    try:
        return limits.changed(**limits_from_text(settings.limit_texts())).max_cost_usd
    except LimitRefused:
        return None  # load_settings refused it already
