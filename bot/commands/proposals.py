"""``handrail proposals``: what waits for a person, in full, and what may be done with it."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import click

from approvals import (
    Proposals,
    ProposalState,
    Revisions,
    list_proposals,
    view_proposal,
)
from approvals.store import tx
from bot.commands.common import say, settings_options, to_type
from bot.commands.decide import approve, execute, reject, settle
from bot.commands.proposal_options import as_option, proposal_argument
from bot.deciding import person_of
from bot.now import now_us
from bot.proposal_show import list_line, proposal_lines
from bot.settings import Settings
from bot.shops import is_practice
from bot.store import open_existing
from bot.texts import counted

__all__ = ["proposals"]

_OPEN = (
    ProposalState.WAITING,
    ProposalState.APPROVED,
    ProposalState.EXECUTING,
    ProposalState.UNKNOWN,
)


@click.group()
def proposals() -> None:
    """See, approve and reject what runs have proposed.

    \b
    Examples:
      handrail proposals list
      handrail proposals show P-7KM-4XQ
      handrail proposals approve P-7KM-4XQ --as U012LEAD
    """


@proposals.command("list")
@click.option("--all", "everything", is_flag=True, help="Those that have ended, too.")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice([state.value for state in ProposalState]),
    help="Only those in this state. May be repeated.",
)
@settings_options("store")
def list_(*, everything: bool, states: tuple[str, ...], settings: Settings) -> int:
    """List the proposals that have not ended, oldest first; the last line counts them.

    \b
    Examples:
      handrail proposals list
      handrail proposals list --state failed
    """
    wanted = tuple(map(ProposalState, states)) or (() if everything else _OPEN)
    with open_existing(settings.store) as db:
        found = list_proposals(db, *wanted)
    say(map(list_line, found))
    click.echo(counted(len(found), "proposal"))
    return 0


@proposals.command()
@proposal_argument
@settings_options("store")
def show(*, proposal_id: str, settings: Settings) -> int:
    """Show what would happen, for whom, how much, by which rule, on which evidence.

    Also who may approve, until when, what was done before, and what became of it.

    \b
    Example:
      handrail proposals show P-7KM-4XQ
    """
    policy = settings.policy()
    with open_existing(settings.store) as db:
        view = view_proposal(db, policy, proposal_id)
    say(proposal_lines(view, policy, now_us()))
    if view.proposal.state is ProposalState.WAITING:
        click.echo()
        step = f"next: handrail proposals approve {proposal_id} --as USER"
        click.echo(to_type(step, "store"))
    return 0


@proposals.command()
@settings_options("store")
def expire(*, settings: Settings) -> int:
    """End the waiting proposals whose time is over, and name those that soon are.

    \b
    Example:
      handrail proposals expire
    """
    verbs = Proposals(settings.policy())
    with open_existing(settings.store) as db:
        now = now_us()
        with tx(db):
            expired = verbs.expire_due(db, now_us=now)
            warned = verbs.warn_due(db, now_us=now)
    say(f"{proposal_id} is expired: nobody decided in time" for proposal_id in expired)
    say(f"{proposal_id} expires soon" for proposal_id in warned)
    click.echo(f"{counted(len(expired), 'proposal')} expired")
    return 0


@proposals.command()
@proposal_argument
@as_option
@settings_options("store")
def reopen(*, proposal_id: str, user_id: str, settings: Settings) -> int:
    """Ask again for what was rejected: a new proposal, which waits for an approval of its own.

    \b
    Example:
      handrail proposals reopen P-7KM-4XQ --as U012LEAD
    """
    with open_existing(settings.store) as db:
        person = person_of(settings.policy(), user_id)
        with tx(db):
            new = _revisions(settings).reopen(
                db, proposal_id=proposal_id, person=person, now_us=now_us()
            )
    return _made(new.proposal_id)


@proposals.command()
@proposal_argument
@as_option
@settings_options("store")
def again(*, proposal_id: str, user_id: str, settings: Settings) -> int:
    """Ask again for what a failed proposal left undone: a new one, with a new approval.

    \b
    Example:
      handrail proposals again P-7KM-4XQ --as U012LEAD
    """
    with open_existing(settings.store) as db:
        person = person_of(settings.policy(), user_id)
        with tx(db):
            new = _revisions(settings).try_again(
                db, proposal_id=proposal_id, person=person, now_us=now_us()
            )
    return _made(new.proposal_id)


def _revisions(settings: Settings) -> Revisions:
    policy = settings.policy()
    return Revisions(policy, Proposals(policy), practice_shop=is_practice(settings))


def _made(proposal_id: str) -> int:
    click.echo(f"{proposal_id} waits for a person")
    click.echo(to_type(f"next: handrail proposals show {proposal_id}", "store"))
    return 0


for _command in (approve, reject, execute, settle):
    proposals.add_command(_command)
