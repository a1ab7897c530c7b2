"""A small Slack on this machine: the tests' double, and what the demo runs on."""

from __future__ import annotations

from bot.workspace.clock import HeldClock, RunningClock
from bot.workspace.errors import (
    BindRefused,
    NotPossible,
    PortTaken,
    TookTooLong,
    WorkspaceError,
)
from bot.workspace.faults import Faults, Hold
from bot.workspace.messages import Message
from bot.workspace.page.page import Page
from bot.workspace.page.people import NewTicket
from bot.workspace.people import Channel, Group, Identity, User
from bot.workspace.surfaces import View
from bot.workspace.traffic import Answer, Attempt, Call, Delivery, Kind
from bot.workspace.workspace import Workspace

__all__ = [
    "Answer",
    "Attempt",
    "BindRefused",
    "Call",
    "Channel",
    "Delivery",
    "Faults",
    "Group",
    "HeldClock",
    "Hold",
    "Identity",
    "Kind",
    "Message",
    "NewTicket",
    "NotPossible",
    "Page",
    "PortTaken",
    "RunningClock",
    "TookTooLong",
    "User",
    "View",
    "Workspace",
    "WorkspaceError",
]
