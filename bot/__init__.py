"""Slack in and out, the worker, settings and the command line."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bot.settings import Settings, load_settings
    from bot.slack.attach import Attached, attach

__all__ = ["Attached", "Settings", "attach", "load_settings"]

_MODULES: Final = {
    "Attached": "bot.slack.attach",
    "Settings": "bot.settings",
    "attach": "bot.slack.attach",
    "load_settings": "bot.settings",
}


def __getattr__(name: str) -> Any:
    """Load what takes its time, Slack's libraries above all, when it is asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
