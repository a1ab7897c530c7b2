"""``handrail changes`` and ``handrail shop``: the practice shop that lasts."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from approvals import OperationState, operations_in
from approvals.store import ServeLock
from bot.commands.common import say, settings_options
from bot.settings import Settings
from bot.shops import open_practice_file
from bot.store import open_existing
from bot.texts import action_text, counted
from tools import (
    Change,
    Fault,
    PracticeGateway,
    PracticeServer,
    build_lasting,
    secret_from,
    serve_practice_shop,
)

__all__ = ["changes", "shop"]

TOKEN_ENV = "SHOP_TOKEN"  # noqa: S105 (the name of a variable)


@click.command()
@settings_options("store", "data")
def changes(*, settings: Settings) -> int:
    """List what was changed in the shop; the last line counts it.

    The practice shop is asked itself; what came with its data is no change. For another shop it
    is what this store knows to be done.

    \b
    Example:
      handrail changes
    """
    found = list(_in_practice(settings) if settings.shop.is_practice else _in_store(settings))
    say(found)
    click.echo(counted(len(found), "change"))
    return 0


@click.group()
def shop() -> None:
    """Serve the practice shop over HTTP, or build it anew.

    \b
    Examples:
      handrail shop serve --port 8300
      handrail shop reset
    """


@shop.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="An address of this machine.")
@click.option(
    "--port",
    default=8300,
    show_default=True,
    type=click.IntRange(0, 65_535),
    help="0 takes any free one.",
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="TOOL:MODE[:TIMES]",
    help="Make a service fail, such as request_refund:timeout_after_write. May be repeated.",
)
@click.option(
    "--token-env",
    default=TOKEN_ENV,
    show_default=True,
    metavar="NAME",
    help="The variable that holds the token callers must present; none is asked for if it is "
    "not set.",
)
@settings_options("store", "data")
def serve(
    *, host: str, port: int, faults: tuple[str, ...], token_env: str, settings: Settings
) -> int:
    """Serve the practice shop by the contract of docs/shop_http.md, until it is interrupted.

    It listens on this machine only.

    \b
    Examples:
      SHOP_TOKEN=a-made-up-token handrail shop serve
      handrail shop serve --port 0 --fault request_refund:timeout_after_write
    """
    simulated = [Fault.parse(text) for text in faults]
    token = secret_from(os.environ, token_env) if os.environ.get(token_env) else None
    open_practice_file(settings).close()
    serve_practice_shop(
        path=settings.practice_file,
        today=settings.day_of_a_run,
        host=host,
        port=port,
        faults=simulated,
        token=token,
        on_ready=_say_ready,
    )
    return 0


@shop.command()
@settings_options("store", "data")
def reset(*, settings: Settings) -> int:
    """Build the practice shop anew from its data; what was changed in it is gone.

    \b
    Examples:
      handrail shop reset
      handrail shop reset --data shop-data
    """
    open_practice_file(settings).close()
    with ServeLock(settings.store):
        build_lasting(settings.practice_file, settings.data)
    click.echo(f"{settings.practice_file} was built anew")
    return 0


def _say_ready(server: PracticeServer) -> None:
    click.echo(f"serving the practice shop at {server.url}")


def _in_practice(settings: Settings) -> Iterator[str]:
    open_practice_file(settings).close()
    with PracticeGateway(settings.practice_file, today=settings.day_of_a_run) as gateway:
        yield from map(_change, gateway.changes())


def _in_store(settings: Settings) -> Iterator[str]:
    with open_existing(settings.store) as db:
        for operation in operations_in(db, OperationState.DONE):
            reference = operation.reference or "without a reference"
            yield f"{operation.operation_id}  {reference}  {action_text(operation.action)}"


def _change(change: Change) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in sorted(change.summary.items()))
    return (
        f"{change.made_on}  {change.operation_id:<13}  {change.reference:<11}  {change.tool}"
        f" {change.order_id}: {facts}"
    )
