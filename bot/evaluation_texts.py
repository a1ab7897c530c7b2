"""What an evaluation says at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from bot.evaluating import Evaluated
from bot.show import block
from bot.texts import at_least, cost_text, counted, shortened, tokens_text
from recordings import Comparison, Difference, Evaluation, Share, Totals

__all__ = [
    "SHARE_WORDS",
    "comparison_lines",
    "miss_lines",
    "miss_text",
    "share_text",
    "total_lines",
]

SHARE_WORDS: Final = {
    "success": "success",
    "proposal": "right proposal",
    "outcome": "right outcome",
    "actions": "right actions",
    "effects": "right effects",
    "team": "right team",
    "person": "agrees on needing a person",
}
_WIDTH: Final = 28
_DIGEST: Final = 64
"""The length of a digest in hex; its beginning tells two apart."""


def total_lines(evaluation: Evaluation) -> Iterator[str]:
    """Yield the figures of an evaluation."""
    totals, identity = evaluation.totals(), evaluation.identity
    yield (
        f"{counted(totals.runs, 'run')} of {counted(totals.tickets, 'ticket')}, profile "
        f"{identity.profile}, model {identity.model}, approver {identity.approve}"
    )
    if totals.constructed:
        yield (
            f"{counted(totals.constructed, 'run')} over replies that were written by hand: their "
            "times, tokens and costs are no model's."
        )
    yield ""
    for name, share in totals.shares.items():
        if share.of:
            yield f"{SHARE_WORDS[name]:<{_WIDTH}}{share_text(share)}"
    if totals.person_caught.of:
        yield f"{'caught, of those in need':<{_WIDTH}}{share_text(totals.person_caught)}"
    if len(totals.pass_hat) > 1:
        for k, chance in totals.pass_hat.items():
            yield f"{f'pass^{k}':<{_WIDTH}}{chance:7.1%}"
    yield ""
    yield from _counts(totals)


def _counts(totals: Totals) -> Iterator[str]:
    yield _line("ended by", ", ".join(f"{name} {count}" for name, count in totals.stops.items()))
    yield _line("results", ", ".join(f"{name} {count}" for name, count in totals.results.items()))
    yield _line(
        "changes at the shop",
        f"{totals.changes}: unexpected {totals.unexpected}, forbidden {totals.forbidden}, "
        f"duplicates {totals.duplicates}",
    )
    yield _line("must not be said, was", str(totals.said))
    steps = "none" if totals.mean_steps is None else f"{totals.mean_steps:.2f} a run"
    yield _line("steps", steps)
    yield _line("tool calls", f"{totals.tool_calls}, refused {totals.refused_calls}")
    yield _line("tokens", tokens_text(totals.tokens_in, totals.tokens_out))
    cost = "unknown"
    if totals.cost_usd is not None:
        cost = (cost_text if totals.cost_complete else at_least)(totals.cost_usd)
    yield _line("cost", cost)
    seconds = "unknown"
    if totals.median_seconds is not None and totals.p95_seconds is not None:
        seconds = f"median {totals.median_seconds:.2f}, p95 {totals.p95_seconds:.2f} (nearest rank)"
    yield _line("seconds", seconds)


def _line(label: str, text: str) -> str:
    return f"{label:<{_WIDTH}}{text}"


def share_text(share: Share) -> str:
    """Return a share with what it is of and its interval."""
    if share.value is None:
        return "nothing to count"
    low, high = share.interval
    return f"{share.value:7.1%}  {share.right}/{share.of}  (95 %: {low:.1%} to {high:.1%})"


def miss_text(each: Evaluated) -> str:
    """Say in one line what was not as the label says."""
    run, wanted = each.judged, each.case.expected
    parts = []
    if run.outcome_right is False:
        parts.append(f"came to {run.came_to}, expected {shortened(str(wanted.outcome), 40)}")
    if run.actions_right is False:
        parts.append(
            f"proposed {len(each.story.actions)} of {len(wanted.actions)} actions, or others"
        )
    if run.effects_right is False:
        parts.append(f"{counted(run.changes, 'change')} at the shop, {run.unexpected} not expected")
    if run.team_right is False:
        parts.append(f"wrong team, expected {shortened(str(wanted.team), 40)}")
    if run.person_right is False:
        parts.append("missed that a person is needed" if run.person_needed else "needs no person")
    if run.forbidden:
        parts.append("did what is forbidden")
    if run.said:
        parts.append("said what must not be said")
    if not parts:
        parts.append(f"was carried out otherwise: came to {run.came_to}")
    return "; ".join(parts)


def miss_lines(each: Evaluated) -> Iterator[str]:
    """Yield a run that missed, with why."""
    run = each.judged
    head = f"{run.ticket_id} run {run.run}, ended by {run.stop}: {miss_text(each)}"
    yield from block("miss", head)


def comparison_lines(
    first: Evaluation, second: Evaluation, comparison: Comparison, *, names: tuple[str, str]
) -> Iterator[str]:
    """Yield two evaluations beside each other."""
    yield from block("A", f"{shortened(names[0], 60)}, made {first.made_at}")
    yield from block("B", f"{shortened(names[1], 60)}, made {second.made_at}")
    for name in comparison.unlike:
        if name == "limits":
            yield from _unlike_limits(first.identity.limits, second.identity.limits)
        else:
            one, two = getattr(first.identity, name), getattr(second.identity, name)
            yield from block("unlike", f"{name}: {_value(one)} and {_value(two)}")
    if "data" in comparison.unlike:
        yield from block("note", "the data or the labels differ: these are unlike things")
    for which, tickets in (("A", comparison.only_first), ("B", comparison.only_second)):
        if tickets:
            yield from block("note", f"{counted(len(tickets), 'ticket')} only in {which}, left out")
    yield ""
    for each in comparison.differences:
        if each.first.of:
            yield from _difference(each)


def _unlike_limits(
    first: Mapping[str, str | None], second: Mapping[str, str | None]
) -> Iterator[str]:
    for name in first:
        one, two = first[name] or "none", second.get(name) or "none"
        if one != two:
            yield from block("unlike", f"limit {name}: {one} and {two}")


def _difference(each: Difference) -> Iterator[str]:
    yield _line(f"{SHARE_WORDS[each.name]}, A", share_text(each.first))
    yield _line("  B", share_text(each.second))
    if each.won or each.lost:
        yield _line(
            "  better, worse",
            f"{len(each.won)}, {len(each.lost)} tickets; chance of that if equally good: "
            f"{each.chance:.2f}",
        )
        for label, tickets in (("better", each.won), ("worse", each.lost)):
            if tickets:
                yield from block(f"  {label}", " ".join(tickets))


def _value(value: object) -> str:
    text = str(value)
    return text[:12] if len(text) == _DIGEST else shortened(text, 120)
