"""What the commands about proposals have in common: the proposal, the person, the reason."""

from __future__ import annotations

import click

from approvals import read_proposal_id

__all__ = ["as_option", "proposal_argument", "wait_option"]


def _proposal_id(context: click.Context, argument: click.Parameter, typed: str) -> str:
    del context, argument
    return read_proposal_id(typed)


proposal_argument = click.argument("proposal_id", metavar="PROPOSAL", callback=_proposal_id)
as_option = click.option(
    "--as",
    "user_id",
    required=True,
    metavar="USER",
    help="Who decides: a user id that a role of the approvals table lists.",
)
wait_option = click.option(
    "--wait",
    "wait_s",
    type=click.FloatRange(0, 86_400),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for the result.",
)
