"""From a finished run to the proposal that waits, in the commit that ends the run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

from sqlite_utils import Database

from approvals import Asked, Created, Proposals
from bot.story import calls_of, record_of
from bot.texts import shortened
from loop import Called, Ended, Entry, Opened, Replied, WireCall
from tools import (
    Action,
    JsonRefused,
    Kind,
    Money,
    ReshipItem,
    Shop,
    ShopError,
    open_view,
    parse_json,
)

__all__ = ["Proposer", "evidence_of"]

MAX_ARGUMENTS: Final = 120
MAX_FOUND: Final = 600


class Proposer:
    """Creates the proposal of a valid run with actions; an equal one that is there stands for it.

    Args:
        proposals: the verbs, under the policy in force.
        shop: tells what items cost, for reshipments that count.
        now_us: microseconds since 1970.
        requesters: user ids of everybody who asked for the run.
        replaces: whether what else waits for the ticket is superseded: for a run over a newer
            message.
    """

    def __init__(
        self,
        proposals: Proposals,
        shop: Shop,
        *,
        now_us: Callable[[], int],
        requesters: Collection[str] = (),
        replaces: bool = False,
    ) -> None:
        self._proposals = proposals
        self._shop = shop
        self._now_us = now_us
        self._requesters = frozenset(requesters)
        self._replaces = replaces
        self.created: Created | None = None
        """What came of it, once the run has ended."""

    def prepare(
        self, run_id: str, ended: Ended, entries: Collection[Entry]
    ) -> Callable[[Database], None] | None:
        """Return what is stored with the run's end; None where the run proposes nothing.

        The shop is read here and not in what is returned: that runs inside a transaction.
        """
        opened = record_of(entries, Opened)
        if not ended.actions or ended.resolution is None or opened is None:
            return None
        asked = Asked(
            run_id=run_id,
            ticket_id=opened.ticket_id,
            customer_id=opened.customer_id,
            actions=ended.actions,
            requesters=self._requesters,
            rule=ended.resolution.rule,
            prices=self._prices(opened.customer_id, ended.actions),
            evidence=tuple(evidence_of(entries)),
            draft=ended.resolution.reply,
        )

        def create(db: Database) -> None:
            self.created = self._proposals.create(
                db, asked, now_us=self._now_us(), replaces=self._replaces
            )

        return create

    def _prices(
        self, customer_id: str, actions: Collection[Action]
    ) -> dict[tuple[str, str], Money]:
        """Return the unit prices of what is sent again; what the shop cannot say stays unknown."""
        wanted = {each.order_id for each in actions if isinstance(each, ReshipItem)}
        prices = {}
        for order_id in sorted(wanted):
            try:
                order = open_view(self._shop, customer_id).order(order_id)
            except ShopError:
                continue
            for line in order.lines:
                if line.sku is not None:
                    prices[order_id, line.sku] = line.unit_price
        return prices


def evidence_of(entries: Collection[Entry]) -> Iterator[str]:
    """Yield one line for each thing that a run looked up: the call, and what came back."""
    opened = record_of(entries, Opened)
    calls: tuple[WireCall, ...] = ()
    for entry in entries:
        record = entry.record
        if isinstance(record, Replied) and opened is not None:
            calls = calls_of(opened, record)
        elif isinstance(record, Called) and _looked_up(record):
            arguments = calls[record.index].arguments if record.index < len(calls) else ""
            asked = shortened(_plain_text(arguments), MAX_ARGUMENTS)
            yield f"{record.name} {asked}: {shortened(_plain_text(record.text), MAX_FOUND)}"


def _plain_text(text: str) -> str:
    """Return JSON as people read it: names and values, without what is empty."""
    try:
        return _plain(parse_json(text))
    except JsonRefused:
        return text


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        given = ((name, item) for name, item in value.items() if name != "ok")
        return ", ".join(f"{name} {_plain(v)}" for name, v in given if v not in (None, [], {}))
    if isinstance(value, list):
        return f"({'; '.join(map(_plain, value))})"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _looked_up(called: Called) -> bool:
    finish = called.code.startswith("finish_")
    return called.result is Kind.OK and called.copy_of is None and not finish
