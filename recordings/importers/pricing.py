"""Costs of runs that give tokens and no costs, by the prices that are set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from loop import CostState, Price, Reply, price_of
from recordings.importers.runs import ImportedRun, Item, Spoke

__all__ = ["with_cost"]


def with_cost(run: ImportedRun, prices: Mapping[str, Price]) -> ImportedRun:
    """Return the run with each reply that has tokens and no cost priced, where there is a price."""
    return replace(run, items=tuple(_priced(item, run.model, prices) for item in run.items))


def _priced(item: Item, asked: str, prices: Mapping[str, Price]) -> Item:
    if not isinstance(item, Spoke) or item.reply.cost.state is CostState.KNOWN:
        return item
    reply: Reply = item.reply
    cost = price_of(reply.model, asked, reply.usage, prices)
    # What has no price stays "not recorded": these replies were paid for elsewhere.
    return Spoke(reply=replace(reply, cost=cost)) if cost.state is CostState.KNOWN else item
