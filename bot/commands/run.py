"""``handrail run`` and ``handrail resume``: one ticket through the bounded loop."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import click

from approvals import Created, Proposals, StoreError
from bot.commands.common import (
    find_run,
    json_option,
    limit_option,
    requesters_option,
    say,
    say_summary,
    settings_options,
    shown_damage,
    to_type,
)
from bot.errors import BotError
from bot.keeper import Keeper, begin, existing_runs, open_runs, run_ids
from bot.models import Models, opened_models
from bot.now import now_us, utc_now
from bot.places import environment
from bot.plan import check_recordings, plan_again, plan_run
from bot.proposal_texts import created_text, proposal_step
from bot.proposing import Proposer
from bot.settings import Settings
from bot.shops import open_kept_shop, open_passing_shop
from bot.show import block, outcome
from bot.story import record_of
from bot.supplies import Supplies, open_supplies
from bot.texts import next_step, unused_text
from bot.trace import lines
from bot.triage import Triaged, triage
from loop import Opened, Result
from recordings import RunEnded, RunRow, Runs, RunState
from tools import Shop

__all__ = ["resume", "run"]


@click.command()
@click.argument("ticket")
@settings_options(
    "profile", "model", "live", "ask", "data", "recordings", "match", "today", "store"
)
@click.option("--trace", is_flag=True, help="Show each step.")
@limit_option(
    "A limit in place of the profile's, such as max_steps=4; none for no limit. May be repeated."
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="TOOL:MODE[:TIMES]",
    help="Make the service behind a tool fail, such as get_order:timeout:2. May be repeated.",
)
@click.option(
    "--no-store", is_flag=True, help="Keep nothing of the run, and leave no proposal to decide."
)
@requesters_option
@json_option
def run(
    *,
    ticket: str,
    settings: Settings,
    trace: bool,
    limits: dict[str, str],
    faults: tuple[str, ...],
    no_store: bool,
    requesters: tuple[str, ...],
    as_json: bool,
) -> int:
    """Run one ticket through the loop, against recorded replies or, with --live, a model's server.

    Where a server is and what it takes stands in handrail.toml, table [models.NAME]. What a valid
    run would change is stored as a proposal that waits for a person.

    The last line says the result, the profile, the model, the model calls, the tokens, the
    cost and the seconds. A fault changes what the model is asked, so a recorded reply is then
    found by its place alone: --match sequence. Exit status: 0 valid, 1 rejected or failed, 2
    wrong use, 130 interrupted.

    \b
    Examples:
      handrail run T-80008
      handrail run T-80008 --trace --limit max_steps=1
      handrail run T-80008 --trace --fault get_order:unavailable --match sequence
      handrail run T-80008 --live --model local
    """
    with _supplies(settings, kept=not no_store) as supplies, _models(settings) as models:
        plan = plan_run(supplies, settings, ticket, limits=limits, faults=faults)
        models.check(plan)
        shown_damage(supplies.damaged)
        with _runs(settings, kept=not no_store) as runs:
            keeper = begin(plan, runs, run_ids(plan, runs), utc_now())
            proposer = None if no_store else _proposer(settings, supplies.shop, requesters)
            with _kept_so_far(keeper):
                triaged = triage(plan, supplies.shop, keeper, proposer, models)
    _show(triaged, _created(proposer), trace=trace, as_json=as_json, stored=not no_store)
    return _exit_status(triaged)


@click.command()
@click.argument("run_id", metavar="RUN")
@click.option("--trace", is_flag=True, help="Show each step, those of the earlier life too.")
@settings_options("data", "recordings", "store")
@requesters_option
@json_option
def resume(
    *, run_id: str, settings: Settings, trace: bool, requesters: tuple[str, ...], as_json: bool
) -> int:
    """Go on with a run that was interrupted, where it was.

    RUN is a run's id, or a ticket's for its newest run. What was already done is read from the
    run's own journal and not done again. Give the same data and recordings as before.

    \b
    Example:
      handrail resume T-80008-resolver-chat-small-1
    """
    with (
        existing_runs(settings.store) as runs,
        _supplies(settings, kept=True) as supplies,
        _models(settings) as models,
    ):
        row = find_run(runs, run_id)
        if row.state is RunState.ENDED:
            raise RunEnded(f"run {row.run_id} has ended already: {row.result}, {row.reason}")
        keeper = Keeper(row.run_id, runs, runs.entries(row.run_id))
        shown_damage(supplies.damaged)
        plan = plan_again(supplies, _beginning(row, keeper))
        check_recordings(plan)
        proposer = _proposer(settings, supplies.shop, requesters)
        with _kept_so_far(keeper):
            triaged = triage(plan, supplies.shop, keeper, proposer, models)
    _show(triaged, _created(proposer), trace=trace, as_json=as_json, stored=True)
    return _exit_status(triaged)


@contextmanager
def _kept_so_far(keeper: Keeper) -> Iterator[None]:
    """Say what is left of a run whose store could not take its next entry, or its first.

    Raises:
        BotError: in place of the store's error, with how to go on.
    """
    try:
        yield
    except StoreError as error:
        if not keeper.entries:
            raise BotError(
                f"{error}; run {keeper.run_id} did not begin",
                hint="once the store takes entries, run the ticket again",
            ) from error
        step = to_type(f"handrail resume {keeper.run_id}", "data", "recordings", "store")
        raise BotError(
            f"{error}; run {keeper.run_id} is kept as running", hint=f"{step} goes on with it"
        ) from error


def _beginning(row: RunRow, keeper: Keeper) -> Opened:
    """Return the record that says how a run is to be gone on with.

    Raises:
        BotError: there is none, so nothing says whether a model was asked, and within which limits.
    """
    opened = record_of(keeper.entries, Opened)
    if opened is None:
        raise BotError(
            f"run {row.run_id} was interrupted before its first step, or erased: it cannot be "
            "gone on with",
            hint=f"handrail run {row.ticket_id} begins a new run of the ticket",
        )
    return opened


def _proposer(settings: Settings, shop: Shop, requesters: tuple[str, ...]) -> Proposer:
    return Proposer(Proposals(settings.policy()), shop, now_us=now_us, requesters=requesters)


def _created(proposer: Proposer | None) -> Created | None:
    return None if proposer is None else proposer.created


def _supplies(settings: Settings, *, kept: bool) -> AbstractContextManager[Supplies]:
    def open_shop() -> Shop:
        return open_kept_shop(settings, tickets=True) if kept else open_passing_shop(settings)

    return open_supplies(
        open_shop=open_shop,
        data=settings.data,
        recordings=settings.recordings,
        prices=settings.prices(),
    )


def _models(settings: Settings) -> AbstractContextManager[Models]:
    return opened_models(settings, environment())


def _runs(settings: Settings, *, kept: bool) -> AbstractContextManager[Runs | None]:
    return open_runs(settings.store) if kept else nullcontext()


def _show(
    triaged: Triaged, created: Created | None, *, trace: bool, as_json: bool, stored: bool
) -> None:
    story = triaged.story
    if as_json:
        value = {
            **story.as_json(),
            "left_over_replies": triaged.left_over,
            "proposal_id": None if created is None else created.proposal.proposal_id,
        }
        click.echo(json.dumps(value, ensure_ascii=False))
    else:
        if trace:
            say(lines(story))
            click.echo()
        say(outcome(story))
        if triaged.left_over and triaged.unused is None:
            say(block("note", unused_text(triaged.left_over)))
        if created is not None:
            say(block("", created_text(created)))
        click.echo()
        if hint := next_step(story.run_id, stored=stored):
            click.echo(to_type(hint, "store"))
        if created is not None:
            click.echo(to_type(proposal_step(created.proposal), "store"))
        say_summary(story)
    if triaged.unused is not None:
        raise triaged.unused


def _exit_status(triaged: Triaged) -> int:
    return 0 if triaged.story.result is Result.VALID else 1
