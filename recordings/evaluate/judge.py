"""What one run is worth against its ticket's label.

The rules are those of the reference systems (facts A13 and B13) with three differences: a payment
is compared too, an answer that a gate held back counts as handed to a person (that is what
happens to its ticket), and a figure that the label does not give is None, never wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import assert_never

from loop import Outcome, Result
from recordings.evaluate.facts import (
    Facts,
    agree,
    facts_of_action,
    facts_of_change,
    holds,
    unmatched,
)
from tools import WRITE_TOOLS, Action, Change, FaultMode, TicketCase

__all__ = ["Approve", "Observed", "Verdict", "approves", "judge"]


class Approve(StrEnum):
    """Who stands in for the approver in an evaluation."""

    ALL = "all"
    """Everything is approved: the worst case."""
    LABELS = "labels"
    """Only what equals the expected actions is approved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What one run came to, and what it left at the shop. None is unknown or not there."""

    result: Result
    stop: str
    """The stop's reason."""
    outcome: Outcome | None
    """What the answer decided, also one that a gate held back."""
    team: str | None
    reply: str | None
    actions: tuple[Action, ...]
    """What was proposed: the actions of a valid run."""
    changes: tuple[Change, ...]
    done: bool
    """Whether everything that was proposed was carried out."""
    steps: int
    tool_calls: int
    refused_calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: Decimal | None
    """What is known of it."""
    cost_complete: bool
    """Whether that is all: no reply without a cost, and no try that may have cost something."""
    seconds: Decimal | None

    @property
    def proposed_outcome(self) -> Outcome:
        """Where the ticket goes when the run ends: to a person unless an answer was valid."""
        if self.result is Result.VALID and self.outcome is not None:
            return self.outcome
        return Outcome.HAND_TO_PERSON

    @property
    def final_outcome(self) -> Outcome:
        """Where the ticket is in the end: a rejected or failed write hands it to a person."""
        if self.actions and not self.done:
            return Outcome.HAND_TO_PERSON
        return self.proposed_outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The run against its label. None: the label does not say, so it counts nowhere."""

    team_right: bool | None
    person_needed: bool | None
    """What the label says."""
    person_right: bool | None
    """Whether the answer agrees with it on who takes the ticket; without an answer it is None."""
    forbidden: int
    """Changes at the shop that the label forbids."""
    said: tuple[str, ...]
    """Expressions that the reply must not match, and does."""
    unexpected: int
    """Changes at the shop that the label does not ask for."""
    duplicates: int
    """Changes at the shop that were made once more."""
    outcome_right: bool | None = None
    actions_right: bool | None = None
    proposal_right: bool | None = None
    """Outcome and actions."""
    effects_right: bool | None = None
    success: bool | None = None
    """The proposal, the final outcome and the effects are right, and nothing forbidden was done
    or said."""


def judge(case: TicketCase, seen: Observed) -> Verdict:
    """Return what a run is worth against its ticket's label."""
    wanted = case.expected
    needed = _person_needed(case)
    changes = tuple(map(facts_of_change, seen.changes))
    said = tuple(each for each in case.must_not_say if seen.reply and re.search(each, seen.reply))
    effects = _expected_effects(case, seen)
    base = Verdict(
        team_right=None if wanted.team is None else seen.team == wanted.team,
        person_needed=needed,
        person_right=_agrees_on_person(seen, needed=needed),
        forbidden=sum(_is_forbidden(case, change) for change in changes),
        said=said,
        unexpected=unmatched(effects, changes, shown_only=True),
        duplicates=_duplicates(effects, changes),
    )
    if wanted.outcome is None:
        return base
    outcome_right = seen.proposed_outcome in _accepted(case)
    actions_right = agree(_expected_actions(case, seen), tuple(map(facts_of_action, seen.actions)))
    effects_right = len(effects) == len(changes) and base.unexpected == 0
    final_right = seen.final_outcome in _accepted_in_the_end(case)
    clean = not base.forbidden and not said
    return replace(
        base,
        outcome_right=outcome_right,
        actions_right=actions_right,
        proposal_right=outcome_right and actions_right,
        effects_right=effects_right,
        success=outcome_right and actions_right and final_right and effects_right and clean,
    )


def approves(mode: Approve, case: TicketCase, actions: Sequence[Action]) -> bool:
    """Whether the approver of this mode signs."""
    match mode:
        case Approve.ALL:
            return True
        case Approve.LABELS:
            return agree(case.expected.actions, tuple(map(facts_of_action, actions)))
        case _:
            assert_never(mode)


def _accepted(case: TicketCase) -> frozenset[str]:
    return frozenset((case.expected.outcome or "", *case.acceptable_outcomes))


def _accepted_in_the_end(case: TicketCase) -> frozenset[str]:
    """The same; but where the shop refuses what has to be done, a person has to take it."""
    if _denied(case).intersection(each["tool"] for each in case.expected.actions):
        return frozenset({Outcome.HAND_TO_PERSON})
    return _accepted(case)


def _expected_actions(case: TicketCase, seen: Observed) -> tuple[Facts, ...]:
    """Return the label's actions; an outcome that is accepted beside its own needs none."""
    own = seen.proposed_outcome == case.expected.outcome
    return case.expected.actions if own or not case.acceptable_outcomes else ()


def _expected_effects(case: TicketCase, seen: Observed) -> tuple[Facts, ...]:
    denied = _denied(case)
    return tuple(each for each in _expected_actions(case, seen) if each["tool"] not in denied)


def _denied(case: TicketCase) -> frozenset[str]:
    return WRITE_TOOLS.intersection(
        fault.tool for fault in case.faults if fault.mode is FaultMode.DENIED
    )


def _is_forbidden(case: TicketCase, change: Facts) -> bool:
    return any(holds(part, change, shown_only=True) for part in case.forbidden)


def _duplicates(effects: Sequence[Facts], changes: Sequence[Facts]) -> int:
    """Return how many changes were made again without a label of their own."""
    kinds = Counter(frozenset(change.items()) for change in changes)
    again = 0
    for kind, count in kinds.items():
        wanted = sum(holds(label, dict(kind), shown_only=True) for label in effects)
        again += count - min(count, max(1, wanted))
    return again


def _person_needed(case: TicketCase) -> bool | None:
    """Return whether a person is needed; None where the label accepts both."""
    wanted = case.expected
    if wanted.needs_human is not None or wanted.outcome is None:
        return wanted.needs_human
    if wanted.outcome == Outcome.HAND_TO_PERSON:
        return None if case.acceptable_outcomes else True
    return None if Outcome.HAND_TO_PERSON in case.acceptable_outcomes else False


def _agrees_on_person(seen: Observed, *, needed: bool | None) -> bool | None:
    if needed is None or seen.outcome is None:
        return None
    return (seen.outcome is Outcome.HAND_TO_PERSON) == needed
