"""What each refusal of Slack's asks for: what the bot does, and what a person is to do.

The codes are those that docs.slack.dev documents for the methods that the bot calls. Slack's own
troubles, which pass by themselves, are no refusals (``bot.slack.calls``).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from bot.slack.calls import Failure, Limited, Lost, Refused
from bot.slack.lost import lost_text
from bot.slack.manifest import manifest_line

__all__ = ["LETTERS", "Course", "course_of", "remedy", "scope_remedy", "told_of"]


class Course(StrEnum):
    """What the bot does about something that Slack refused to take."""

    AWAIT_APP = "await app"
    """Slack takes nothing of ours until somebody repairs the app. All of it waits."""
    AWAIT_METHOD = "await method"
    """Slack refuses this one method until somebody repairs that. What needs it waits."""
    AWAIT_CHANNEL = "await channel"
    """Slack takes nothing in this channel until somebody repairs that. What is for it waits."""
    GIVE_UP = "give up"
    """Slack never takes this one thing. It is set aside where an operator sees it."""


_REINSTALL: Final = "install the app again and give handrail the new bot token, SLACK_BOT_TOKEN"
_ADMIN: Final = "ask an administrator of the workspace to allow the app"
_TOKEN: Final = "copy the bot token again from the app's page, OAuth & Permissions"  # noqa: S105
_INVITE: Final = "/invite the bot into the channel"
_RULES: Final = "ask whoever owns the channel to let the app post there, in threads too"

_APP: Final[Mapping[str, str]] = {
    "access_denied": _ADMIN,
    "account_inactive": _REINSTALL,
    "ekm_access_denied": _ADMIN,
    "enterprise_is_restricted": _ADMIN,
    "invalid_auth": _TOKEN,
    "message_limit_exceeded": "the workspace has sent too many messages for its plan; ask its"
    " administrator",
    "no_permission": _ADMIN,
    "not_allowed_token_type": "SLACK_BOT_TOKEN must be the bot token, xoxb-…",
    "not_authed": _TOKEN,
    "org_login_required": _ADMIN,
    "team_access_not_granted": _ADMIN,
    "token_expired": _REINSTALL,
    "token_revoked": _REINSTALL,
    "two_factor_setup_required": _ADMIN,
}
_METHOD: Final[Mapping[str, str]] = {
    "accesslimited": _ADMIN,
    "deprecated_endpoint": "install a newer handrail",
    "method_deprecated": "install a newer handrail",
    "missing_scope": "add the scope to the app and install it again",
    "unknown_method": "install a newer handrail",
}
_CHANNEL: Final[Mapping[str, str]] = {
    "channel_not_found": f"{_INVITE}, or take it out of slack.channels",
    "external_channel_migrating": "nothing: Slack moves the channel, and it ends by itself",
    "is_archived": "bring the channel back, or take it out of slack.channels",
    "is_inactive": "bring the channel back, or take it out of slack.channels",
    "not_in_channel": _INVITE,
    "restricted_action": _RULES,
    "restricted_action_non_threadable_channel": _RULES,
    "restricted_action_read_only_channel": _RULES,
    "restricted_action_thread_only_channel": _RULES,
    "team_not_found": _ADMIN,
}
_AGAIN: Final = "nothing: it is tried again"
LETTERS: Final = "handrail letters lists what was given up, and tries it again"


def course_of(code: str) -> Course:
    """Return what the bot does about a refusal; a code that nobody knows is given up."""
    if code in _APP:
        return Course.AWAIT_APP
    if code in _METHOD:
        return Course.AWAIT_METHOD
    return Course.AWAIT_CHANNEL if code in _CHANNEL else Course.GIVE_UP


def remedy(code: str, needed: str | None = None) -> str:
    """Return what a person is to do about a refusal.

    Args:
        code: Slack's name for why.
        needed: the scopes that are missing, one of which is enough, by commas; None where it is
            not that.
    """
    if code == "missing_scope" and needed is not None:
        return scope_remedy(needed)
    return {**_APP, **_METHOD, **_CHANNEL}.get(code, LETTERS)


def told_of(method: str, answer: Failure) -> tuple[str, str]:
    """Return what a call of this method came to, and what a person is to do about it."""
    match answer:
        case Refused(code=code, needed=needed):
            return code, remedy(code, needed)
        case Limited():
            return "429", _AGAIN
        case Lost():
            return lost_text(method, answer), _AGAIN


def scope_remedy(needed: str) -> str:
    """Return what to do about missing scopes, with their lines in the manifest."""
    names = [name.strip() for name in needed.split(",")]
    ours = [name for name in names if manifest_line(name) is not None] or names
    lines = " or ".join(f"{name}{_line_words(name)}" for name in ours)
    return f"add the scope {lines} to the app, under OAuth & Permissions, and install it again"


def _line_words(scope: str) -> str:
    line = manifest_line(scope)
    return "" if line is None else f" (line {line} of handrail manifest)"
