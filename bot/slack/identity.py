"""Who we are in the workspace, asked of Slack once, at the start."""

from __future__ import annotations

from typing import Final, assert_never

from bot.slack.calls import Answer, Calls, Limited, Lost, Refused, Took
from bot.slack.errors import SlackUnreachable
from bot.slack.intake import Us
from bot.slack.lost import lost_text

__all__ = ["ask_identity"]

_NETWORK: Final = "check the network and slack.api"
_LATER: Final = "try again later: Slack limits how often it is asked"


def ask_identity(calls: Calls) -> Us:
    """Return who the token makes us.

    Raises:
        SlackUnreachable: Slack does not know the token, or did not answer.
    """
    about = _took(calls.read("auth.test"), "auth.test")
    bot_id = about.data.get("bot_id")
    if not isinstance(bot_id, str):
        raise SlackUnreachable("auth.test", "not_a_bot", hint="use the app's bot token, xoxb-…")
    found = calls.read("bots.info", bot=bot_id)
    app_id = found.data.get("bot", {}).get("app_id") if isinstance(found, Took) else None
    return Us(
        user_id=about.data["user_id"],
        bot_id=bot_id,
        app_id=app_id,
        team_id=about.data.get("team_id"),
    )


def _took(answer: Answer, method: str) -> Took:
    match answer:
        case Took():
            return answer
        case Refused(code=code):
            raise SlackUnreachable(method, code)
        case Lost(code=code) as lost:
            told = lost_text(method, lost)
            raise SlackUnreachable(method, code, told=told, hint=_NETWORK, passes=True)
        case Limited(wait_s=wait_s):
            raise SlackUnreachable(method, "ratelimited", hint=_LATER, passes=True, wait_s=wait_s)
        case _:
            assert_never(answer)
