"""The tokens: which kind each is, whether Slack knows it, and which scopes it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bot.doctor.findings import Finding, fine, problem, warning
from bot.slack.calls import Calls, Failure, Limited, Lost, Refused, Took
from bot.slack.lost import lost_text
from bot.slack.manifest import SCOPES
from bot.slack.remedies import remedy, scope_remedy
from bot.slack.settings import Mode

__all__ = ["Bot", "TokenKind", "check_app_token", "check_bot_token", "check_kinds", "failed"]

BOT_TOKEN: Final = "SLACK_BOT_TOKEN"  # noqa: S105 - the names of variables
APP_TOKEN: Final = "SLACK_APP_TOKEN"  # noqa: S105
SIGNING_SECRET: Final = "SLACK_SIGNING_SECRET"  # noqa: S105
_KINDS: Final[Mapping[str, str]] = {
    "xoxb-": "a bot token",
    "xapp-": "an app-level token",
    "xoxp-": "a user's token",
    "xoxe": "a token that is rotated",
    "xoxa-": "a workspace token, of old",
    "xoxs-": "a person's session",
    "xoxc-": "a person's session",
    "xoxd-": "a person's session",
}
_APP_OF: Final = re.compile(r"xapp-\d+-(A[A-Z0-9]+)-", re.ASCII)
_SECRET: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_MANIFEST: Final = "handrail manifest prints the app; Slack then shows this on the app's page"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenKind:
    """A variable, what a value of it begins with, and what it is then."""

    variable: str
    begins: str


_BOT: Final = TokenKind(variable=BOT_TOKEN, begins="xoxb-")
_APP: Final = TokenKind(variable=APP_TOKEN, begins="xapp-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """Who the bot token makes us. ``app_id`` is None where Slack did not say."""

    user_id: str
    team_id: str
    app_id: str | None


def check_kinds(environ: Mapping[str, str], mode: Mode) -> Iterator[Finding]:
    """Look at the secrets of the environment that a mode needs. No value is ever shown."""
    yield _kind(environ, _BOT)
    match mode:
        case Mode.SOCKET:
            yield _kind(environ, _APP)
        case Mode.HTTP:
            yield _signing_secret(environ)


def check_bot_token(calls: Calls, found: list[Bot]) -> Iterator[Finding]:
    """Ask Slack who the bot token makes us; add that to ``found`` where it says so."""
    answer = calls.read("auth.test")
    if not isinstance(answer, Took):
        yield failed("tokens", "auth.test", answer, about=BOT_TOKEN)
        return
    about = answer.data
    if not isinstance(about.get("bot_id"), str):
        yield problem("tokens", f"{BOT_TOKEN} is no bot's", "use the bot token of the app, xoxb-…")
        return
    info = calls.read("bots.info", bot=about["bot_id"])
    app_id = info.data.get("bot", {}).get("app_id") if isinstance(info, Took) else None
    found.append(Bot(user_id=about["user_id"], team_id=about.get("team_id", ""), app_id=app_id))
    place = f"{about.get('team')} ({about.get('team_id')})"
    yield fine("tokens", f"{BOT_TOKEN}: {about.get('user')} ({about['user_id']}) in {place}")
    yield from _scopes(answer.scopes)


def check_app_token(calls: Calls, token: str, app_id: str | None) -> Iterator[Finding]:
    """Ask Slack for the address of a socket, which is not opened; and whose token it is."""
    answer = calls.write("apps.connections.open", {})
    if not isinstance(answer, Took):
        yield failed("tokens", "apps.connections.open", answer, about=APP_TOKEN)
        return
    of_app = _APP_OF.match(token)
    if of_app is not None and app_id is not None and of_app[1] != app_id:
        yield problem(
            "tokens",
            f"{APP_TOKEN} is of the app {of_app[1]}, {BOT_TOKEN} of {app_id}",
            "take both tokens from one app's pages",
        )
    else:
        yield fine("tokens", f"{APP_TOKEN}: a socket may be opened")


def failed(check: str, method: str, answer: Failure, *, about: str) -> Finding:
    """Return what it means that a call came to nothing.

    Args:
        check: the group of the finding.
        method: what was called.
        answer: what it came to.
        about: the variable or the channel that was asked about.
    """
    what = f"{about}: {method}"
    match answer:
        case Refused(code=code, needed=needed):
            return problem(check, f"{what} is refused: {code}", _remedy(about, code, needed))
        case Limited(wait_s=wait_s):
            return warning(check, f"{what} may not be called now", f"try again in {wait_s} s")
        case Lost():
            do = "check the network and slack.api, and try again"
            return problem(check, f"{about}: {lost_text(method, answer)}", do)


def _remedy(about: str, code: str, needed: str | None) -> str:
    if about == APP_TOKEN:
        return "make an app-level token with the scope connections:write on the app's page"
    return remedy(code, needed)


def _kind(environ: Mapping[str, str], kind: TokenKind) -> Finding:
    value = environ.get(kind.variable, "").strip()
    if not value:
        return problem("tokens", f"{kind.variable} is not set", _MANIFEST)
    if not value.startswith(kind.begins):
        known = next((words for begins, words in _KINDS.items() if value.startswith(begins)), None)
        what = f"{kind.variable} is {known or 'no token of Slack'}"
        return problem("tokens", what, f"it must be {_KINDS[kind.begins]}, {kind.begins}…")
    return fine("tokens", f"{kind.variable} is {_KINDS[kind.begins]}")


def _signing_secret(environ: Mapping[str, str]) -> Finding:
    value = environ.get(SIGNING_SECRET, "").strip()
    if not value:
        return problem("tokens", f"{SIGNING_SECRET} is not set", _MANIFEST)
    if not _SECRET.fullmatch(value):
        return warning(
            "tokens",
            f"{SIGNING_SECRET} is not 32 hex digits, as Slack's are",
            "copy the Signing Secret from the app's page, not the Client Secret",
        )
    return fine("tokens", f"{SIGNING_SECRET} has the form of one; only a request of Slack's tells")


def _scopes(scopes: frozenset[str] | None) -> Iterator[Finding]:
    if scopes is None:
        yield warning("scopes", "Slack did not say which scopes the bot token has")
        return
    missing = [scope for scope in SCOPES if scope not in scopes]
    for scope in missing:
        yield problem("scopes", f"{scope} is missing: {SCOPES[scope]}", scope_remedy(scope))
    more = sorted(scopes - SCOPES.keys())
    if more:
        do = "take them out on the app's page, if nothing else uses the app"
        yield warning("scopes", f"more than handrail needs: {', '.join(more)}", do)
    if not missing:
        yield fine("scopes", f"all {len(SCOPES)} that the manifest asks for")
