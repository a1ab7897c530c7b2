"""Who is in the demo's workspace, where tickets arrive, and who may approve what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from starlette.routing import BaseRoute

from bot.workspace import Channel, Identity, RunningClock, User, Workspace

__all__ = [
    "AGENT",
    "APPROVALS",
    "CHANNEL",
    "FRONT_DESK",
    "HEAD",
    "LEAD",
    "OUTSIDER",
    "PEOPLE",
    "make_workspace",
    "name_of",
]

CHANNEL: Final = "C0SUPPORT"
FRONT_DESK: Final = "B0FRONTDESK"
"""The app that posts the customers' tickets. It is nobody, so everybody may sign what it asks."""
AGENT, LEAD, HEAD, OUTSIDER = "U0AMIRA", "U0THEO", "U0HANNA", "U0OLU"

PEOPLE: Final[dict[str, str]] = {
    AGENT: "agent, approves up to 100.00",
    LEAD: "team lead, approves up to 500.00",
    HEAD: "head of support, approves any amount",
    OUTSIDER: "outsider, of another company, approves nothing",
}
"""What each person may do, by user id, in the order in which they are offered."""

APPROVALS: Final[dict[str, Any]] = {
    "currency": "CAD",
    "two_people_above": "500.00",
    "roles": {
        "agent": {"limit": "100.00", "users": [AGENT]},
        "team_lead": {"limit": "500.00", "users": [LEAD]},
        "head": {"limit": "none", "users": [HEAD]},
    },
}
"""The ``[approvals]`` table of the demo."""

_NAMES: Final = {AGENT: "Amira", LEAD: "Theo", HEAD: "Hanna", OUTSIDER: "Olu"}


def name_of(user_id: str | None) -> str:
    """Return how somebody is called in the demo; what is no person of it is the front desk."""
    if user_id == Identity().bot_user:
        return "Handrail"
    return _NAMES.get(user_id or "", "Front desk")


def make_workspace(*, port: int = 0, pages: Iterable[BaseRoute] = ()) -> Workspace:
    """Return the workspace, not started; port 0 takes a free one."""
    return Workspace(
        users=[_user(each) for each in PEOPLE],
        channels=[
            Channel(id=CHANNEL, name="support", members=(*PEOPLE, Identity().bot_user)),
        ],
        clock=RunningClock(),
        port=port,
        pages=pages,
    )


def _user(user_id: str) -> User:
    name = name_of(user_id)
    if user_id == OUTSIDER:
        return User(id=user_id, name=name.lower(), real_name=name, team_id="T0PARTNER")
    return User(id=user_id, name=name.lower(), real_name=name)
