"""``handrail proposals approve``, ``reject``, ``execute`` and ``settle``."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click
from sqlite_utils import Database

from approvals import (
    Decisions,
    Done,
    Failed,
    Proposal,
    ProposalState,
    Signed,
    list_proposals,
    read_proposal,
    read_proposal_id,
    view_proposal,
)
from approvals.store import Jobs, tx
from bot.carrying import Carrier
from bot.commands.common import say, settings_options, to_type
from bot.commands.proposal_options import as_option, proposal_argument, wait_option
from bot.deciding import person_of
from bot.now import now_us
from bot.proposal_show import outcome_lines
from bot.proposal_texts import expired_text, interrupted_text, missing_text, unasked_text
from bot.settings import Settings
from bot.shops import Gateways, decides_only, open_gateways
from bot.show import block
from bot.store import open_existing
from bot.texts import action_text, counted
from tools import ShopError

__all__ = ["approve", "execute", "reject", "settle"]

INTERRUPTED: Final = 130
_UNDER_WAY: Final = (ProposalState.APPROVED, ProposalState.EXECUTING)
_NOT_DONE: Final = (ProposalState.FAILED, ProposalState.UNKNOWN)

version_option = click.option(
    "--version",
    type=click.IntRange(min=1),
    help="The version that was looked at. Not given: the one that stands, which is shown.",
)


@click.command()
@proposal_argument
@as_option
@click.option("--second", is_flag=True, help="Yes to a second one of what was done before.")
@version_option
@click.option("--reason", metavar="TEXT", help="Why; kept with the decision.")
@wait_option
@settings_options("store", "data")
def approve(
    *,
    proposal_id: str,
    user_id: str,
    second: bool,
    version: int | None,
    reason: str | None,
    wait_s: float,
    settings: Settings,
) -> int:
    """Approve a proposal; after the last signature that it needs, carry it out.

    If no server runs on the store, this command carries it out. If one does, it does so, and this
    command waits for it. Interrupting the waiting takes nothing back. Exit status: 0 done, signed
    or queued, 1 refused, failed or unknown, 2 wrong use.

    \b
    Examples:
      handrail proposals approve P-7KM-4XQ --as U012LEAD
      handrail proposals approve P-7KM-4XQ --as U012LEAD --second --wait 300
    """
    with open_existing(settings.store) as db:
        proposal = read_proposal(db, proposal_id)
        person = person_of(settings.policy(), user_id)
        with open_gateways(settings) as gateways:
            say(_shown("approve", proposal))
            decisions = Decisions(settings.policy(), gateways.executes(Jobs()))
            with tx(db):
                signed = decisions.approve(
                    db,
                    proposal_id=proposal_id,
                    version=proposal.version if version is None else version,
                    person=person,
                    now_us=now_us(),
                    second=second,
                    why=reason,
                )
            if signed.proposal.state is not ProposalState.APPROVED:
                return _not_yet(db, settings, signed)
            return _carry_out(db, settings, gateways, [proposal_id], wait_s)


@click.command()
@proposal_argument
@as_option
@click.option("--reason", required=True, metavar="TEXT", help="Why; kept with the decision.")
@version_option
@settings_options("store")
def reject(
    *, proposal_id: str, user_id: str, reason: str, version: int | None, settings: Settings
) -> int:
    """Reject a proposal, with a reason. It blocks the same request until it is reopened.

    \b
    Example:
      handrail proposals reject P-7KM-4XQ --as U012LEAD --reason "the parcel arrived"
    """
    with open_existing(settings.store) as db:
        proposal = read_proposal(db, proposal_id)
        person = person_of(settings.policy(), user_id)
        say(_shown("reject", proposal))
        with tx(db):
            signed = Decisions(settings.policy(), decides_only(settings)).reject(
                db,
                proposal_id=proposal_id,
                version=proposal.version if version is None else version,
                person=person,
                why=reason,
                now_us=now_us(),
            )
        if signed.proposal.state is ProposalState.EXPIRED:
            return _not_yet(db, settings, signed)
        return _told(db, settings, [proposal_id])


@click.command()
@click.argument("proposal_ids", metavar="[PROPOSAL]...", nargs=-1)
@wait_option
@settings_options("store", "data")
def execute(*, proposal_ids: tuple[str, ...], wait_s: float, settings: Settings) -> int:
    """Go on with what was approved and is not settled; without PROPOSAL, with all of it.

    Nothing is decided here. What may have been sent before is looked up first.

    \b
    Examples:
      handrail proposals execute
      handrail proposals execute P-7KM-4XQ --wait 300
    """
    with open_existing(settings.store) as db:
        chosen = [read_proposal(db, read_proposal_id(each)) for each in proposal_ids]
        ids = [each.proposal_id for each in chosen or list_proposals(db, *_UNDER_WAY)]
        if not ids:
            click.echo(counted(0, "proposal"))
            return 0
        with open_gateways(settings) as gateways:
            return _carry_out(db, settings, gateways, ids, wait_s)


@click.command()
@click.argument("operation_id", metavar="OPERATION")
@click.option(
    "--outcome",
    required=True,
    type=click.Choice(["done", "failed"]),
    help="What you found out at the shop: that it was done, or that it was not.",
)
@as_option
@click.option("--reason", required=True, metavar="TEXT", help="How you know; kept.")
@click.option("--reference", metavar="ID", help="The shop's own id of the change.")
@settings_options("store")
def settle(
    *,
    operation_id: str,
    outcome: str,
    user_id: str,
    reason: str,
    reference: str | None,
    settings: Settings,
) -> int:
    """Say what became of an operation that is unknown, as somebody who found out.

    Nothing is sent. OPERATION is the proposal's id with the number of the action behind it.

    \b
    Example:
      handrail proposals settle P-7KM-4XQ-1 --outcome done --reference RF-A558CC9D \\
        --as U012LEAD --reason "seen in the shop's ledger"
    """
    found = (
        Done(result={"reference": reference or "by hand"})
        if outcome == "done"
        else Failed(code="by_hand", words="a person found that it was not done")
    )
    with open_existing(settings.store) as db:
        person = person_of(settings.policy(), user_id)
        with tx(db):
            operation = Decisions(settings.policy(), decides_only(settings)).settle_unknown(
                db,
                operation_id=operation_id.strip().upper(),
                outcome=found,
                person=person,
                why=reason,
                now_us=now_us(),
            )
        _told(db, settings, [operation.proposal_id])
        return 0


def _carry_out(
    db: Database, settings: Settings, gateways: Gateways, ids: Sequence[str], wait_s: float
) -> int:
    carrier = Carrier(settings, gateways, say=_say_progress, wait_s=wait_s)
    try:
        carrier.carry_out(db, ids)
    except ShopError as error:
        say(block("note", unasked_text(error)))
    except KeyboardInterrupt:
        click.echo(to_type(interrupted_text(" ".join(ids)), "data", "store"), err=True)
        return INTERRUPTED
    return _told(db, settings, ids)


def _told(db: Database, settings: Settings, ids: Sequence[str]) -> int:
    """Say what became of proposals; return 1 where one was not done."""
    views = [view_proposal(db, settings.policy(), each) for each in ids]
    for view in views:
        say(outcome_lines(view))
    queued = [v.proposal.proposal_id for v in views if v.proposal.state in _UNDER_WAY]
    if queued:
        step = f"next: handrail proposals execute {' '.join(queued)}"
        click.echo(to_type(step, "data", "store"))
    return int(any(view.proposal.state in _NOT_DONE for view in views))


def _not_yet(db: Database, settings: Settings, signed: Signed) -> int:
    """Say that a decision did not end it: more signatures are needed, or its time was over."""
    if signed.proposal.state is ProposalState.EXPIRED:
        click.echo(f"error: {expired_text(signed.proposal)}", err=True)
        return 1
    total = view_proposal(db, settings.policy(), signed.proposal.proposal_id).total
    click.echo(missing_text(signed.missing, total))
    return 0


def _shown(verb: str, proposal: Proposal) -> list[str]:
    """Return what is about to be decided: the version, and each action."""
    head = f"{proposal.proposal_id}, version {proposal.version}"
    lines = list(block(verb, head))
    for number, action in enumerate(proposal.actions, start=1):
        lines += block("", f"{number}. {action_text(action)}")
    return lines


def _say_progress(line: str) -> None:
    say(block("", line))
