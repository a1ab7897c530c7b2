"""``handrail record``: live runs, each kept as a recording that is replayed offline."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import click

from bot.commands.common import limit_option, settings_options
from bot.keeper import run_ids
from bot.models import Models, opened_models
from bot.places import environment
from bot.plan import plan_run
from bot.recorder import FileKeeper
from bot.settings import Settings
from bot.shops import open_passing_shop
from bot.supplies import Supplies, find_ticket, open_supplies
from bot.texts import counted
from bot.triage import triage
from loop import StopReason

__all__ = ["record"]


@click.command()
@click.argument("tickets", metavar="TICKET...", nargs=-1, required=True)
@settings_options("profile", "model", "ask", "data", "today")
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="The folder for the recordings, one file a run. A file that is there is left as it is.",
)
@limit_option("A limit in place of the profile's, such as max_steps=4. May be repeated.")
def record(
    *, tickets: tuple[str, ...], settings: Settings, into: Path, limits: dict[str, str]
) -> int:
    """Run tickets against a model's server and keep each run as a recording.

    Nothing is stored and nothing is proposed: the runs are for replays, tests and explorations.
    What ticket, tools and provider say was redacted before the model saw it, so a recording needs
    no further redaction to be replayed; it holds what the customer wrote all the same.

    Exit status: 1 where a provider gave no reply (the attempt is recorded too).

    \b
    Examples:
      handrail record T-80008 --model local --into recordings
      handrail run T-80008 --model local --recordings recordings
    """
    chosen = settings.model_copy(update={"live": True})
    failed = 0
    with _supplies(chosen) as supplies, opened_models(chosen, environment()) as models:
        for ticket in tickets:
            find_ticket(supplies.cases, ticket)  # before the first one costs anything
        models.live(chosen.model)
        for ticket in tickets:
            reason = _recorded(supplies, chosen, models, ticket, into, limits)
            failed += reason is StopReason.PROVIDER_ERROR
    click.echo(f"{counted(len(tickets), 'recording')} in {into}")
    return 1 if failed else 0


def _supplies(settings: Settings) -> AbstractContextManager[Supplies]:
    return open_supplies(
        open_shop=lambda: open_passing_shop(settings), data=settings.data, prices=settings.prices()
    )


def _recorded(
    supplies: Supplies,
    settings: Settings,
    models: Models,
    ticket: str,
    into: Path,
    limits: dict[str, str],
) -> StopReason | None:
    plan = plan_run(supplies, settings, ticket, limits=limits)
    keeper = FileKeeper.begin(into, run_ids(plan, None))
    story = triage(plan, supplies.shop, keeper, models=models).story
    reason = None if story.stop is None else story.stop.reason
    click.echo(f"{story.run_id}: {reason}; {story.summary()}")
    return reason
