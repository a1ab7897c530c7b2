"""The command line: ``handrail`` and ``python -m bot``.

A command returns its exit status: 0, or 1 for a run or a proposal that is rejected or failed. What
was asked for and is refused, or cannot be, is one line on stderr, with a hint below where one
helps: status 1 for what the store, the policy or the shop refuses, 2 for wrong use.
"""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from io import TextIOWrapper
from typing import Any, Final

import click

from approvals import (
    ApprovalsError,
    LockHeld,
    OperationUnknown,
    PolicyRefused,
    ProposalUnknown,
    SecondNeeded,
)
from bot.commands.audit import audit
from bot.commands.care import backup, forget, migrate_store, purge, reconcile, restore
from bot.commands.demo import demo
from bot.commands.proposals import proposals
from bot.commands.run import resume, run
from bot.commands.runs import export, runs, trace
from bot.commands.serve import manifest, serve
from bot.commands.shop import changes, shop
from bot.commands.tickets import show, tickets
from bot.errors import BotError
from bot.texts import shortened
from loop import LoopError
from recordings import RecordingsError, RecordingUnused
from tools import ShopError, ToolsError

__all__ = ["handrail", "main"]

_OURS: Final = (ApprovalsError, BotError, LoopError, RecordingsError, ToolsError)
"""Each package's tree. Anything else is a fault of the program and keeps its traceback."""
_MISUSED: Final = (OperationUnknown, PolicyRefused, ProposalUnknown)
"""Of the approvals' errors, those that say that something else was meant."""
MAX_MESSAGE: Final = 600
INTERRUPTED: Final = 130
"""The exit status of a program that was interrupted from the keyboard."""


def _version() -> str:
    try:
        return version("handrail")
    except PackageNotFoundError:
        return "(a checkout that is not installed)"


class Handrail(click.Group):
    """The group of all commands, with errors said our way."""

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command and leave with its exit status."""
        sys.exit(self.status(args, **extra))

    def status(self, args: Sequence[str] | None = None, **extra: Any) -> int:
        """Run a command and return its exit status."""
        extra["standalone_mode"] = False
        try:
            return int(super().main(args, **extra) or 0)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            return 2
        except click.UsageError as error:
            return _said(error.format_message(), _usage_hint(error))
        except click.ClickException as error:
            return _said(error.format_message())
        except click.Abort:
            return _said("interrupted", "handrail runs lists runs that can be resumed", INTERRUPTED)
        except RecordingUnused as error:
            return _said(str(error), status=1)
        except _OURS as error:
            return _said(str(error), _hint(error), _status(error))


@click.group(cls=Handrail, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), message="handrail %(version)s")
@click.pass_context
def handrail(context: click.Context) -> None:
    """Triage support tickets in a bounded loop; change nothing without a person's signature.

    Start with `handrail demo`. A run always ends, for one named reason; what it would change is
    only proposed.

    \b
    Examples:
      handrail tickets
      handrail run T-80008 --trace
      handrail trace T-80008
    """
    if os.environ.get("NO_COLOR"):
        context.color = False


_COMMANDS: Final = (
    *(demo, tickets, show, run, resume, runs, trace, export),
    *(proposals, changes, reconcile, audit),
    *(backup, restore, purge, forget, migrate_store, shop),
    *(serve, manifest),
)
for _command in _COMMANDS:
    handrail.add_command(_command)


def main() -> int:
    """Run the command line and return its exit status: the console entry."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows "?" instead
    return handrail.status(prog_name="handrail")


def _said(message: str, hint: str = "", status: int = 2) -> int:
    """Say what went wrong, on one line of stderr; return the exit status."""
    click.echo(f"error: {shortened(message, MAX_MESSAGE)}", err=True)
    if hint:
        click.echo(f"hint: {shortened(hint, MAX_MESSAGE)}", err=True)
    return status


def _status(error: Exception) -> int:
    """Return 1 for what is refused, 2 for what was asked for in a wrong way."""
    refused = isinstance(error, ApprovalsError | ShopError) and not isinstance(error, _MISUSED)
    return 1 if refused else 2


def _hint(error: Exception) -> str:
    match error:
        case SecondNeeded():
            return "--second says yes to a second one"
        case LockHeld():
            return "handrail proposals, reconcile and audit work beside a server"
        case ShopError():
            return "the shop is the one of the table [shop] in the settings"
        case _:
            return str(getattr(error, "hint", ""))


def _usage_hint(error: click.UsageError) -> str:
    return "" if error.ctx is None else f"{error.ctx.command_path} --help explains it"
