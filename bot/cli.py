"""The command line: ``handrail`` and ``python -m bot``.

A command returns its exit status: 0, or 1 for a run or a proposal that is rejected or failed. What
was asked for and is refused, or cannot be, is one line on stderr, with a hint below where one
helps: status 1 for what the policy, the shop or a rival refuses, 2 for wrong use and for what the
system refuses, 130 for an interruption.

A command's module is loaded when it is asked for: half of the packages take a second to load.
"""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from io import TextIOWrapper
from typing import Any, Final

import click

__all__ = ["handrail", "main"]

MAX_MESSAGE: Final = 600
INTERRUPTED: Final = 130
"""The exit status of a program that was interrupted from the keyboard."""
_COMMANDS: Final[Mapping[str, str]] = {
    "demo": "demo:demo",
    "triage": "triage:triage",
    "tickets": "tickets:tickets",
    "show": "tickets:show",
    "run": "run:run",
    "record": "record:record",
    "resume": "run:resume",
    "runs": "runs:runs",
    "trace": "runs:trace",
    "export": "runs:export",
    "eval": "evaluate:evaluate",
    "explore": "explore:explore",
    "labels": "labels:labels",
    "compare": "evaluate:compare_evaluations",
    "recordings": "recordings:recordings",
    "proposals": "proposals:proposals",
    "calibrate": "calibrate:calibrate_limits",
    "changes": "shop:changes",
    "reconcile": "care:reconcile",
    "audit": "audit:audit",
    "backup": "care:backup",
    "restore": "care:restore",
    "purge": "care:purge",
    "forget": "care:forget",
    "migrate": "care:migrate_store",
    "shop": "shop:shop",
    "serve": "serve:serve",
    "doctor": "doctor:doctor",
    "letters": "letters:letters",
    "manifest": "serve:manifest",
}
"""Each command's module in ``bot.commands``, and its name there."""


def _version() -> str:
    try:
        return version("handrail")
    except PackageNotFoundError:
        return "(a checkout that is not installed)"


class Handrail(click.Group):
    """The group of all commands, each loaded when it is asked for, with errors said our way."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which they are listed."""
        del ctx
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; None where there is none of this name."""
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        found: click.Command = getattr(import_module(f"bot.commands.{module}"), name)
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that closed the pipe wants no more, and no message."""
        try:
            return super().invoke(ctx)
        except OSError as error:  # here, because click would leave with status 1 for it
            if error.errno != errno.EPIPE or error.filename is not None:
                raise
            _silence(sys.stdout)
            return 2

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
        except (click.Abort, KeyboardInterrupt):
            return _said("interrupted", "handrail runs lists runs that can be resumed", INTERRUPTED)
        except Exception as error:
            from bot.refusals import said_of

            said = said_of(error)
            if said is None:
                raise
            if isinstance(error, OSError) and error.filename is None:
                _silence(sys.stdout)  # said once; what Python still holds would fail again
            return _said(said.message, said.hint, said.status)


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


def main() -> int:
    """Run the command line and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows "?" instead
    return _flushed(handrail.status(prog_name="handrail"))


def _flushed(status: int) -> int:
    """Return the status of a program whose output arrived; 2 where the last of it did not."""
    if sys.stdout is None:
        return status
    try:
        sys.stdout.flush()
    except OSError as error:
        _silence(sys.stdout)
        if error.errno == errno.EPIPE:
            return 2
        return _said(f"the output cannot be written: {error.strerror}")
    return status


def _silence(stream: Any) -> None:
    """Lead what is still to be written nowhere, so that Python's own flush at the end passes."""
    try:
        descriptor = stream.fileno()
    except (AttributeError, OSError, ValueError):  # a test's own stream
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _said(message: str, hint: str = "", status: int = 2) -> int:
    """Say what went wrong, on one line of stderr; return the exit status."""
    from bot.texts import shortened

    try:
        click.echo(f"error: {shortened(message, MAX_MESSAGE)}", err=True)
        if hint:
            click.echo(f"hint: {shortened(hint, MAX_MESSAGE)}", err=True)
    except OSError:
        _silence(sys.stderr)  # nobody can be told; the status still says it
    return status


def _usage_hint(error: click.UsageError) -> str:
    return "" if error.ctx is None else f"{error.ctx.command_path} --help explains it"
