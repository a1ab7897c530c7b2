"""What App Home, the lists, the state of health and the digest say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from approvals import AuditHead, ProposalState, ProposalView
from bot.slack.markup import date, fact, line, link
from bot.slack.views import DigestView, HealthLine, RunLine, WaitingLine
from bot.slack.words.common import SEPARATOR, rule_words, who
from bot.slack.words.proposals import headline, state_name
from bot.texts import counted, reason_text
from loop import StopReason

__all__ = [
    "NOTHING_WAITS",
    "NO_RUN",
    "OPEN",
    "PAUSE",
    "RECENT_RUNS",
    "RESUME",
    "TITLE",
    "about_waiting",
    "changes_words",
    "dead_words",
    "digest_head",
    "digest_proposals",
    "digest_runs",
    "digest_short",
    "digest_title",
    "health_line",
    "health_short",
    "inbox_words",
    "jobs_words",
    "more_waiting",
    "open_name",
    "paused_words",
    "posts_words",
    "role_words",
    "run_words",
    "stops_words",
    "waiting_count",
    "waiting_title",
    "waiting_words",
]

TITLE: Final = "Handrail"
PAUSE: Final = "Pause"
RESUME: Final = "Resume"
RECENT_RUNS: Final = "Recent runs"
NOTHING_WAITS: Final = "Nothing waits."
NO_RUN: Final = "No run yet."
OPEN: Final = "Look at the thread"
_MOST_REFUNDS: Final = 10


def role_words(role: str | None) -> str:
    """Say what the reader may sign."""
    return "No role in approvals." if role is None else f"Your role: {line(role, 40)}"


def paused_words(user_id: str, why: str) -> str:
    """Say that no run begins, who wanted it so, and why where they said."""
    reason = f": {line(why, 200)}" if why else ""
    return f"*Paused* by {who(user_id)}{reason}. Tickets are kept and wait."


def waiting_title(mine: int, *, of: int, count: int) -> str:
    """Head the list of what the reader could sign, ``of`` the oldest of all that wait."""
    return f"Waiting for you ({mine}{f' of the oldest {of}; {count} wait' if count > of else ''})"


def waiting_count(count: int) -> str:
    """Say how many proposals wait."""
    return f"{counted(count, 'proposal')} waiting"


def waiting_words(each: WaitingLine) -> str:
    """State a waiting proposal in two lines."""
    return f"{headline(each.facts, 160)}\n{about_waiting(each)}"


def about_waiting(each: WaitingLine) -> str:
    """Name what a waiting proposal belongs to, who may sign it, and until when."""
    proposal = each.facts.proposal
    facts = (
        fact(proposal.proposal_id),
        f"Ticket {fact(proposal.ticket_id)}",
        f"Customer {fact(proposal.customer_id)}",
        rule_words(proposal.rule),
        f"Counts as {each.facts.total}",
        _signers(each.facts),
        f"Until {date(proposal.expires_us)}",
    )
    return SEPARATOR.join(facts)


def _signers(facts: ProposalView) -> str:
    if facts.needed_role is None:
        return "Nobody may sign it"
    role = line(facts.needed_role, 40)
    two = facts.signatures_needed > 1
    return f"Two people sign, one of them: {role}" if two else f"May sign: {role}"


def more_waiting(count: int) -> str:
    """Say how many of a list are not named, and when they are."""
    return f"and {count} more, which come up here as these are decided"


def open_name(proposal_id: str) -> str:
    """Name the link to a card for screen readers."""
    return f"Look at the thread of proposal {proposal_id}"


def run_words(each: RunLine) -> str:
    """State a run in a line."""
    state = "running" if each.result is None else each.result.value
    if each.stop is not None and each.stop is not StopReason.FINISHED:
        state = f"{state}, {reason_text(each.stop)}"
    ticket = fact(each.ticket_id, 40)
    if each.link is not None:
        ticket = f"{ticket} ({link(each.link[:300], 'open')})"
    return f"{ticket}  {state}  {date(each.at_us)}"


def stops_words(stops: Mapping[StopReason, int]) -> str | None:
    """Count the ends of runs by reason; None where none has ended."""
    counts = [f"{reason.value} {count}" for reason, count in stops.items() if count]
    return f"Ends of runs: {', '.join(counts)}" if counts else None


def health_line(each: HealthLine) -> str:
    """Say whether one thing that is looked after is well."""
    sign = "\u2713" if each.well else "\u2717"
    return f"{sign} *{line(each.name, 40)}* {line(each.words, 300)}"


def health_short(ill: Iterable[str], *, paused: bool) -> str:
    """Say in one line how everything is."""
    names = ", ".join(line(name, 40) for name in ill)
    if not names:
        return "Paused" if paused else "All is well"
    return f"{'Paused. ' if paused else ''}Not well: {names}"


def jobs_words(ready: int, running: int, dead: int) -> str:
    """Count the jobs."""
    return f"{ready} waiting, {running} running, {dead} given up"


def inbox_words(new: int, dead: int) -> str:
    """Count what was delivered and is not done."""
    return f"{new} to be taken in, {dead} given up"


def posts_words(ready: int, dead: int, why: Iterable[str]) -> str:
    """Count what is to be posted. ``why``: Slack's names for why some was given up."""
    told = f"{ready} waiting, {dead} given up"
    return (
        f"{told} ({', '.join(why)}); operators see them with `/handrail letters`" if dead else told
    )


def changes_words(unknown: int) -> str:
    """Count what the shop cannot vouch for."""
    return f"{counted(unknown, 'change')} that the shop cannot vouch for"


def digest_title(day: str) -> str:
    """Head the digest of a day."""
    return f"Handrail on {day}"


def digest_short(view: DigestView) -> str:
    """Say a day in one line."""
    return f"{view.day}: {_tickets(view)}"


def digest_runs(view: DigestView) -> str:
    """Count a day's tickets and drafts, with the cost."""
    held_back = counted(view.rejected_drafts, "draft")
    return f"{_tickets(view)}, {held_back} held back by a gate. Cost: {line(view.cost, 80)}."


def digest_proposals(view: DigestView) -> str:
    """Count what was decided in a day, what was paid back, and what waits."""
    decided = _decided(view.proposals)
    refunds = ", ".join(str(each) for each in view.refunded[:_MOST_REFUNDS])
    money = f" Refunded: *{refunds}*." if refunds else ""
    return f"{decided} {counted(view.waiting, 'proposal')} waiting.{money}"


def dead_words(count: int) -> str:
    """Say that something was given up."""
    return f"*{counted(count, 'dead letter')}*; an operator looks at them."


def digest_head(audit: AuditHead) -> str:
    """State the head of the audit chain, and what it is for."""
    head = f"Audit: {counted(audit.count, 'row')}, head {fact(audit.hash)}"
    return f"{head}. `handrail audit verify --head` checks against it."


def _tickets(view: DigestView) -> str:
    return f"{counted(view.tickets, 'ticket')}, {counted(view.drafts, 'draft')}"


def _decided(proposals: Mapping[ProposalState, int]) -> str:
    states = [f"{state_name(state)} {count}" for state, count in proposals.items() if count]
    return f"Proposals: {', '.join(states)}." if states else "No proposals were decided."
