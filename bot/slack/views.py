"""What the bot's messages state, as values. Blocks are made of these and of nothing else.

Texts in here are raw: from a model, a ticket, a tool or a person. They are escaped and bounded
where blocks are made (``bot.slack.markup``), once, and nowhere before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from approvals import AuditHead, ProposalState, ProposalView
from bot.story import Figures
from loop import Outcome, Result, Stop, StopReason
from tools import Kind, Money

__all__ = [
    "Block",
    "CallLine",
    "CardView",
    "CopyView",
    "DigestView",
    "DraftProposal",
    "DraftView",
    "GaveUpView",
    "HealthLine",
    "HomeView",
    "Letter",
    "LetterKind",
    "Message",
    "Phase",
    "RunLine",
    "StatusView",
    "StopView",
    "View",
    "WaitingLine",
]

Block = dict[str, Any]
"""One block of Slack's Block Kit, as JSON values."""
View = dict[str, Any]
"""One modal or App Home view, as JSON values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is posted: blocks, and the text that notifications and screen readers get."""

    text: str
    blocks: tuple[Block, ...] = ()

    def payload(self) -> dict[str, Any]:
        """Return the arguments of ``chat.postMessage`` and ``chat.update``, place and key apart.

        Links are never unfurled: that would fetch them.
        """
        return {
            "text": self.text,
            "blocks": list(self.blocks),
            "unfurl_links": False,
            "unfurl_media": False,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLine:
    """One look-up of a run: the tool, what it was asked, what came back."""

    name: str
    arguments: str
    result: Kind
    code: str
    found: str = ""


class Phase(StrEnum):
    """Where a ticket's run stands, as its status message shows it."""

    QUEUED = "queued"
    HELD = "held"
    """Not begun: paused, or a cap of runs or cost is reached. ``note`` says which."""
    RUNNING = "running"
    STOPPING = "stopping"
    """Somebody pressed Stop, and the step in flight is not over yet."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusView:
    """The one status message of a run.

    Attributes:
        step: model calls made so far; ``max_steps`` None is no limit.
        calls: the look-ups so far, oldest first.
        figures: what it used; None before it begins.
        result, stop: how it ended; None before.
        by: the user who pressed Stop, or the first one who did.
        note: a sentence of ours that says why it waits.
    """

    run_id: str
    ticket_id: str
    customer_id: str
    phase: Phase
    profile: str = ""
    model: str = ""
    step: int = 0
    max_steps: int | None = None
    calls: tuple[CallLine, ...] = ()
    figures: Figures | None = None
    result: Result | None = None
    stop: Stop | None = None
    by: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftProposal:
    """A proposal as the draft speaks of it.

    ``settled`` says each thing that was done, with the shop's reference, once it is done.
    """

    proposal_id: str
    state: ProposalState
    settled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftView:
    """A drafted answer, apart from the facts that are for the team alone.

    Attributes:
        reply: the model's draft in Markdown, or the text that a person made of it.
        edited_by, discarded_by, taken_by: user ids; None where nobody did.
        reason: why the model decided so; its own words.
    """

    run_id: str
    ticket_id: str
    customer_id: str
    reply: str
    outcome: Outcome
    model: str
    profile: str
    figures: Figures
    team: str | None = None
    rule: str | None = None
    reason: str | None = None
    calls: tuple[CallLine, ...] = ()
    proposals: tuple[DraftProposal, ...] = ()
    edited_by: str | None = None
    discarded_by: str | None = None
    taken_by: str | None = None
    helpful: int = 0
    not_helpful: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StopView:
    """A run without a usable answer: it stopped, or a gate objected to its draft.

    Attributes:
        problems: the gates' objections, code and sentence.
        team: who should take it, where the run had named a team.
        held_back: there is a rejected draft that may be looked at privately.
        can_retry: the same ticket run again can come to something else.
        stop: its ``cause`` may hold words of the provider.
    """

    run_id: str
    ticket_id: str
    customer_id: str
    stop: Stop
    result: Result
    figures: Figures
    model: str
    profile: str
    problems: tuple[tuple[str, str], ...] = ()
    team: str | None = None
    calls: tuple[CallLine, ...] = ()
    held_back: bool = False
    can_retry: bool = False
    taken_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GaveUpView:
    """A run that was given up, for a fault of ours that came up at every attempt."""

    run_id: str
    ticket_id: str
    taken_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardView:
    """One proposal's card, in whatever state it is.

    Attributes:
        facts: everything that the store states about it (``approvals.view_proposal``).
        model, profile: of the run that asked for it; empty where the run is gone.
        reason: the model's own words; never a fact.
        calls: the run's look-ups; where empty, the stored evidence lines stand for them.
        why: the reason that was given when it was rejected.
        ticket_link: a permalink of the ticket's message.
        requesters_may_sign: the policy's switch for small teams.
        offers_*: whether the buttons that need a handler are offered in the state they are for
            (failed, rejected, unknown).
    """

    facts: ProposalView
    model: str = ""
    profile: str = ""
    reason: str | None = None
    calls: tuple[CallLine, ...] = ()
    why: str | None = None
    ticket_link: str | None = None
    requesters_may_sign: bool = False
    offers_try_again: bool = False
    offers_reopen: bool = False
    offers_settle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyView:
    """The plain text that a person copies to the customer, and what stands above it.

    ``proposals`` are those of its run: as long as one is not done, a warning is shown.
    """

    run_id: str
    ticket_id: str
    text: str
    proposals: tuple[DraftProposal, ...] = ()
    held_back: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingLine:
    """A waiting proposal in a list. ``mine`` says that the reader could sign it.

    ``link`` leads to its card; None while that is not posted.
    """

    facts: ProposalView
    link: str | None = None
    mine: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A run in a list. ``result`` None: it has not ended."""

    run_id: str
    ticket_id: str
    result: Result | None
    stop: StopReason | None
    at_us: int
    link: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthLine:
    """One thing that is looked after, and whether it is well. ``words`` say what to do if not."""

    name: str
    well: bool
    words: str


class LetterKind(StrEnum):
    """What was given up."""

    DELIVERY = "delivery"
    """Something that Slack delivered and that could not be taken."""
    JOB = "job"
    """Work: a run, or the execution of what was approved."""
    POST = "post"
    """Something that Slack did not take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One thing that was given up: a dead letter.

    Attributes:
        number: of the row.
        what: what it is, without any text of a customer.
        why: the kind of the failure, or Slack's name for why.
    """

    kind: LetterKind
    number: int
    what: str
    why: str

    @property
    def letter_id(self) -> str:
        """What an operator types: ``post-12``."""
        return f"{self.kind.value}-{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeView:
    """App Home of one person, and ``/handrail status``.

    Attributes:
        role: the reader's role in the approvals table; None where they have none.
        waiting: the oldest that wait for a decision, and ``waiting_count`` of how many.
        letters: the newest of what was given up, for an operator; empty for anybody else.
        letter_count: how many there are in all.
    """

    role: str | None = None
    operator: bool = False
    waiting: tuple[WaitingLine, ...] = ()
    waiting_count: int = 0
    runs: tuple[RunLine, ...] = ()
    stops: Mapping[StopReason, int] | None = None
    health: tuple[HealthLine, ...] = ()
    paused_by: tuple[str, str] | None = None
    letters: tuple[Letter, ...] = ()
    letter_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestView:
    """One day in numbers, and the head of the audit chain to check against later."""

    day: str
    tickets: int
    drafts: int
    rejected_drafts: int
    stops: Mapping[StopReason, int]
    proposals: Mapping[ProposalState, int]
    refunded: tuple[Money, ...]
    cost: str
    waiting: int
    dead_letters: int
    audit: AuditHead
