"""``handrail triage``: the shipped tickets, each as its thread would look, and a table."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import click

from bot.commands.common import say
from bot.keeper import Keeper
from bot.plan import Plan, plan_replay
from bot.show import WIDTH, block, outcome
from bot.story import Story
from bot.supplies import Supplies, find_ticket, open_supplies
from bot.texts import counted, safe, shortened, unused_text
from bot.trace import lines
from bot.triage import Triaged
from bot.triage import triage as triage_one
from loop import PRICES, Result, get_profile
from recordings import Recording

__all__ = ["triage"]

MAX_SAMPLES: Final = 6
"""Threads that are shown whole where not all are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """One run, and its place among them."""

    place: str
    triaged: Triaged
    plan: Plan


@click.command()
@click.option(
    "--profile",
    default="resolver",
    show_default=True,
    metavar="NAME",
    help="resolver, assistant or desk.",
)
@click.option("--only", multiple=True, metavar="TICKET", help="Only this ticket. May be repeated.")
@click.option("--all", "everything", is_flag=True, help="The whole thread of every run.")
@click.option("--brief", is_flag=True, help="One line a run, and the tables alone.")
def triage(*, profile: str, only: tuple[str, ...], everything: bool, brief: bool) -> int:
    """Triage the shipped tickets against the recorded replies that ship with them.

    Shows one line a run, then the whole thread of one run of each outcome as it would look, then
    a table of results and of how the runs ended. Needs no settings and reads none, keeps nothing,
    and uses no network.

    \b
    Examples:
      handrail triage
      handrail triage --profile desk --only T-80003
    """
    name = get_profile(profile).name
    whole = everything or bool(only)
    with open_supplies(prices=PRICES) as supplies:
        chosen = _chosen(supplies, name, only)
        say(_introduction(len(chosen), name))
        shown: list[_Shown] = []
        for number, recording in enumerate(chosen, start=1):
            plan = plan_replay(supplies, recording)
            triaged = triage_one(plan, supplies.shop, Keeper(recording.name, None))
            place = f"[{number:>{len(str(len(chosen)))}}/{len(chosen)}]"
            shown.append(_Shown(place=place, triaged=triaged, plan=plan))
            say(_thread(shown[-1]) if whole and not brief else _brief(shown[-1]))
    if not (whole or brief):
        say(_samples(shown))
    say(_table([each.triaged.story for each in shown]))
    return 0


def _introduction(count: int, profile: str) -> Iterator[str]:
    """Say what is shown, and why some of it fails: on purpose."""
    yield f"{counted(count, 'run')} of shipped tickets, profile {profile}, over recorded replies."
    yield "B56, B59 and such rebuild stops that the reference systems reported: they are to fail."
    yield ""


def _samples(shown: Sequence[_Shown]) -> Iterator[str]:
    """Yield the thread of the first run of each outcome: its result, and how it ended."""
    samples: dict[tuple[str, ...], _Shown] = {}
    for each in shown:
        samples.setdefault(_outcome(each.triaged.story), each)
    picked = list(samples.values())[:MAX_SAMPLES]
    yield ""
    threads = counted(len(picked), "thread")
    yield f"{threads} of {len(shown)}, one of each outcome (--all: every one)"
    for each in picked:
        yield from _thread(each)


def _outcome(story: Story) -> tuple[str, ...]:
    end = "" if story.stop is None else story.stop.reason.value
    proposes = "proposes" if story.actions else "answers"
    return (str(story.result), end, proposes if story.result is Result.VALID else "")


def _chosen(supplies: Supplies, profile: str, only: Iterable[str]) -> list[Recording]:
    """Return the profile's recordings in the order of the tickets."""
    wanted = {find_ticket(supplies.cases, ticket_id).ticket.ticket_id for ticket_id in only}
    order = {ticket_id: place for place, ticket_id in enumerate(supplies.cases)}
    found = [
        recording
        for recording in supplies.recordings
        if recording.profile == profile
        and recording.ticket_id in order
        and (not wanted or recording.ticket_id in wanted)
    ]
    return sorted(found, key=lambda recording: order[recording.ticket_id])


def _thread(shown: _Shown) -> Iterator[str]:
    triaged, plan = shown.triaged, shown.plan
    story = triaged.story
    yield "─" * WIDTH
    yield f"{shown.place} {_title(story)}"
    text = plan.case.ticket.text
    yield from block("customer", safe(text) if text.strip() else "(no text)")
    for name in plan.case.ticket.attachments:
        yield from block("file", shortened(name, 60))
    yield from lines(story)
    yield from outcome(story)
    if triaged.unused is not None:
        yield from block("note", str(triaged.unused))
    elif triaged.left_over:
        yield from block("note", unused_text(triaged.left_over))
    yield story.summary()


def _brief(shown: _Shown) -> Iterator[str]:
    story = shown.triaged.story
    end = "" if story.stop is None else story.stop.reason
    calls = counted(story.figures.model_calls, "call")
    yield f"{shown.place} {_title(story):<50}  {story.result:<8}  {end:<15}  {calls}"


def _title(story: Story) -> str:
    opened = story.opened
    named = "" if story.run_id.startswith(opened.ticket_id) else f" · {story.run_id}"
    return f"{opened.ticket_id} · {opened.profile} · {opened.head.model}{named}"


def _table(stories: Sequence[Story]) -> Iterator[str]:
    yield "═" * WIDTH
    yield from _counts("result", Counter(str(story.result) for story in stories), len(stories))
    ends = Counter(story.stop.reason.value for story in stories if story.stop is not None)
    yield from _counts("ended by", ends, len(stories))
    changes = sum(len(story.actions) for story in stories)
    yield f"{counted(changes, 'change')} proposed, each waits for a person; nothing was changed."


def _counts(title: str, counts: Counter[str], total: int) -> Iterator[str]:
    yield f"{title:<20}{counted(total, 'run'):>10}"
    for name, count in counts.most_common():
        yield f"  {name:<18}{count:>10}"
