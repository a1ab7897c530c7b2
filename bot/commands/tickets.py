"""``handrail tickets`` and ``handrail show``: the tickets of a data folder."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import click

from bot import show as views
from bot.commands.common import say, settings_options
from bot.errors import BotError
from bot.places import meant
from bot.settings import Settings
from bot.supplies import find_ticket, load_cases
from bot.texts import counted, shortened
from tools import TicketCase

__all__ = ["show", "tickets"]


@click.command()
@click.option("--slice", "kind", metavar="NAME", help="Only tickets of this kind.")
@settings_options("data")
def tickets(*, kind: str | None, settings: Settings) -> int:
    """List the tickets; the last line counts them.

    \b
    Examples:
      handrail tickets
      handrail tickets --slice policy
    """
    cases = load_cases(settings.data).values()
    found = [case for case in cases if kind is None or case.slice == kind]
    if not found:
        kinds = {case.slice for case in cases if case.slice is not None}
        raise BotError(
            f"no ticket is of the kind {shortened(kind or '', 40)}",
            hint=shortened(meant(kind or "", kinds), 300)
            if kinds
            else "these tickets have no kinds",
        )
    say(_line(case) for case in found)
    click.echo(counted(len(found), "ticket"))
    return 0


@click.command()
@click.argument("ticket")
@click.option("--expected", is_flag=True, help="Also what the ticket should come to.")
@settings_options("data")
def show(*, ticket: str, expected: bool, settings: Settings) -> int:
    """Show one ticket as it came.

    \b
    Examples:
      handrail show T-80008
      handrail show T-64872 --expected
    """
    case = find_ticket(load_cases(settings.data), ticket)
    say(views.ticket(case))
    if expected:
        say(views.expected(case))
    return 0


def _line(case: TicketCase) -> str:
    fault = "!" if case.faults else " "
    head = f"{case.ticket.ticket_id:<8} {shortened(case.slice or '', 11):<11} {fault} "
    return head + (shortened(case.ticket.text, views.WIDTH - len(head)) or "(no text)")
