"""App Home, the answers of ``/handrail``, the digest, and notes of one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from approvals import ApprovalsError
from bot.slack import words
from bot.slack.blocks.parts import actions, button, context, divider, header, numbered, section
from bot.slack.markup import body, date, fact, line, link
from bot.slack.refs import ActionId, CallbackId, ProposalRef, RunRef
from bot.slack.views import (
    Block,
    DigestView,
    HealthLine,
    HomeView,
    Message,
    RunLine,
    View,
    WaitingLine,
)
from bot.texts import counted, reason_text
from loop import StopReason

__all__ = [
    "digest_message",
    "home_view",
    "note",
    "refusal",
    "status_report",
    "waiting_list",
]

MAX_WAITING: Final = 20
MAX_RUNS: Final = 15
MAX_HEALTH: Final = 12
MAX_NOTE: Final = 2_900


def note(text: str) -> Message:
    """Return one message of a few sentences. ``text`` is ours, or made by ``markup``."""
    return Message(text=text, blocks=(section(text),))


def refusal(error: ApprovalsError) -> Message:
    """Return why a click changed nothing, for the person who clicked."""
    words_of = body(str(error), MAX_NOTE)
    return Message(text=line(str(error), 400), blocks=(section(words_of),))


def home_view(view: HomeView) -> View:
    """Return App Home of one person."""
    return {
        "type": "home",
        "callback_id": CallbackId.HOME.value,
        "blocks": list(_home(view)),
    }


def status_report(view: HomeView) -> Message:
    """Return what ``/handrail status`` answers."""
    ill = [each.name for each in view.health if not each.well]
    told = f"Not well: {', '.join(line(name, 40) for name in ill)}" if ill else "All is well"
    blocks = [*_pause(view), *_health(view.health), *_stops(view.stops or {})]
    return Message(text=told, blocks=numbered("status", blocks or [section(told)]))


def waiting_list(lines: Sequence[WaitingLine]) -> Message:
    """Return what ``/handrail waiting`` answers."""
    told = f"{counted(len(lines), 'proposal')} waiting"
    return Message(text=told, blocks=numbered("waiting", [section(told), *_waiting(lines)]))


def digest_message(view: DigestView) -> Message:
    """Return one day in numbers, with the head of the audit chain."""
    told = f"{view.day}: {counted(view.tickets, 'ticket')}, {counted(view.drafts, 'draft')}"
    return Message(text=told, blocks=numbered(f"digest:{view.day}", _digest(view)))


def _home(view: HomeView) -> Iterator[Block]:
    yield header("Handrail")
    yield context(
        "No role in approvals." if view.role is None else f"Your role: {line(view.role, 40)}"
    )
    yield from _pause(view)
    if view.operator:
        action, label = (
            (ActionId.PAUSE, "Pause") if view.paused_by is None else (ActionId.RESUME, "Resume")
        )
        yield actions([button(action, label, RunRef(run_id=""))])
    mine = [each for each in view.waiting if each.mine]
    yield header(f"Waiting for you ({len(mine)})")
    yield from _waiting(mine)
    yield header("Recent runs")
    yield from _runs(view.runs)
    yield from _stops(view.stops or {})
    yield divider()
    yield from _health(view.health)


def _pause(view: HomeView) -> Iterator[Block]:
    if view.paused_by is not None:
        yield section(f"*Paused* by {words.who(view.paused_by)}. Tickets are kept and wait.")


def _waiting(lines: Sequence[WaitingLine]) -> Iterator[Block]:
    if not lines:
        yield context("Nothing waits.")
    for each in lines[:MAX_WAITING]:
        yield _waiting_line(each)
    if len(lines) > MAX_WAITING:
        yield context(f"and {len(lines) - MAX_WAITING} more; handrail proposals list shows all")


def _waiting_line(each: WaitingLine) -> Block:
    needed = "nobody may" if each.needed_role is None else line(each.needed_role, 40)
    told = (
        f"{fact(each.proposal_id)}  {line(each.what, 160)}\n"
        f"{fact(each.ticket_id)}  \u00b7  {line(each.amount, 60)}  \u00b7  {needed}"
        f"  \u00b7  until {date(each.expires_us)}"
    )
    block = section(told)
    if each.link is not None:
        ref = ProposalRef(proposal_id=each.proposal_id, version=each.version)
        name = f"Open proposal {each.proposal_id}"
        block["accessory"] = button(ActionId.OPEN, "Open", ref, name=name) | {"url": each.link}
    return block


def _runs(lines: Sequence[RunLine]) -> Iterator[Block]:
    if not lines:
        yield context("No run yet.")
        return
    yield section("\n".join(map(_run_line, lines[:MAX_RUNS])))


def _run_line(each: RunLine) -> str:
    state = "running" if each.result is None else each.result.value
    if each.stop is not None and each.stop is not StopReason.FINISHED:
        state = f"{state}, {reason_text(each.stop)}"
    ticket = fact(each.ticket_id, 40)
    if each.link is not None:
        ticket = f"{ticket} ({link(each.link[:300], 'open')})"
    return f"{ticket}  {state}  {date(each.at_us)}"


def _stops(stops: Mapping[StopReason, int]) -> Iterator[Block]:
    counts = [f"{reason.value} {count}" for reason, count in stops.items() if count]
    if counts:
        yield context(f"Ends of runs: {', '.join(counts)}")


def _health(lines: Sequence[HealthLine]) -> Iterator[Block]:
    for each in lines[:MAX_HEALTH]:
        sign = "\u2713" if each.well else "\u2717"
        yield context(f"{sign} *{line(each.name, 40)}* {line(each.words, 300)}")


def _digest(view: DigestView) -> Iterator[Block]:
    yield header(f"Handrail on {view.day}")
    runs = f"{counted(view.tickets, 'ticket')}, {counted(view.drafts, 'draft')}"
    yield section(
        f"{runs}, {counted(view.rejected_drafts, 'draft')} held back by a gate."
        f" Cost: {line(view.cost, 80)}."
    )
    yield section(_proposals(view))
    yield from _stops(view.stops)
    if view.dead_letters:
        yield section(f"*{counted(view.dead_letters, 'dead letter')}*; an operator looks at them.")
    head = f"Audit: {counted(view.audit.count, 'row')}, head {fact(view.audit.hash)}"
    yield context(f"{head}. `handrail audit verify --head` checks against it.")


def _proposals(view: DigestView) -> str:
    states = [f"{words.state_name(s)} {n}" for s, n in view.proposals.items() if n]
    told = f"Proposals: {', '.join(states)}." if states else "No proposals were decided."
    refunds = ", ".join(str(each) for each in view.refunded[:10])
    money = f" Refunded: *{refunds}*." if refunds else ""
    return f"{told} {counted(view.waiting, 'proposal')} waiting.{money}"
