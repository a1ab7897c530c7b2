"""An evaluation: its runs with their verdicts, what they were made with, and a file of both."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from loop import Result
from recordings.errors import EvaluationUnreadable
from recordings.evaluate.judge import Approve, Observed, Verdict
from recordings.evaluate.statistics import Share, median, pass_hat, percentile
from tools import problems_of

__all__ = ["SHARES", "Evaluation", "Identity", "Judged", "Totals"]

VERSION: Final = 1
MAX_BYTES: Final = 100_000_000
"""Largest file that is read."""

SHARES: Final = {
    "success": "success",
    "proposal": "proposal_right",
    "outcome": "outcome_right",
    "actions": "actions_right",
    "effects": "effects_right",
    "team": "team_right",
    "person": "person_right",
}
"""The shares of an evaluation by their names on the command line, with the verdict's field."""


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Identity(_Stored):
    """What an evaluation was made with. Two that differ here compare unlike things."""

    profile: str
    model: str
    approve: Approve
    limits: dict[str, str | None]
    """By name, as text; None is no limit."""
    prompt: str
    """Digest of instructions, tools and schema."""
    data: str
    """Digest of the shop's data and of the tickets with their labels."""
    prices: str
    """Digest of the price table."""
    match: str
    """How replies were found; ``live`` for a model that was asked."""
    today: str
    slice: str | None = None

    def unlike(self, other: Identity) -> tuple[str, ...]:
        """Return the names of the fields in which two differ."""
        return tuple(
            name for name in type(self).model_fields if getattr(self, name) != getattr(other, name)
        )


class Judged(_Stored):
    """One run of a ticket with its verdict."""

    ticket_id: str
    run: int
    """Which run of the ticket, from 1."""
    slice: str | None
    constructed: bool
    """Whether its replies were written by hand: times and tokens are then no model's."""
    result: Result
    stop: str
    expected: str | None
    """The label's outcome."""
    came_to: str
    """Where the ticket is in the end."""
    steps: int
    tool_calls: int
    refused_calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: Decimal | None
    cost_complete: bool = True
    """False: the run may have cost more. Files of earlier versions hold complete costs alone."""
    seconds: Decimal | None
    changes: int
    team_right: bool | None
    person_needed: bool | None
    person_right: bool | None
    outcome_right: bool | None
    actions_right: bool | None
    proposal_right: bool | None
    effects_right: bool | None
    success: bool | None
    forbidden: int
    said: int
    unexpected: int
    duplicates: int

    @classmethod
    def of(
        cls,
        ticket_id: str,
        run: int,
        seen: Observed,
        verdict: Verdict,
        *,
        expected: str | None,
        slice_name: str | None,
        constructed: bool,
    ) -> Self:
        """Return what is kept of a run and its verdict."""
        return cls(
            ticket_id=ticket_id,
            run=run,
            slice=slice_name,
            constructed=constructed,
            result=seen.result,
            stop=seen.stop,
            expected=expected,
            came_to=seen.final_outcome,
            steps=seen.steps,
            tool_calls=seen.tool_calls,
            refused_calls=seen.refused_calls,
            tokens_in=seen.tokens_in,
            tokens_out=seen.tokens_out,
            cost_usd=seen.cost_usd,
            cost_complete=seen.cost_complete,
            seconds=seen.seconds,
            changes=len(seen.changes),
            team_right=verdict.team_right,
            person_needed=verdict.person_needed,
            person_right=verdict.person_right,
            outcome_right=verdict.outcome_right,
            actions_right=verdict.actions_right,
            proposal_right=verdict.proposal_right,
            effects_right=verdict.effects_right,
            success=verdict.success,
            forbidden=verdict.forbidden,
            said=len(verdict.said),
            unexpected=verdict.unexpected,
            duplicates=verdict.duplicates,
        )

    @property
    def missed(self) -> bool:
        """Whether the run is to be looked at: something that the label says was not so."""
        named = (self.success, self.team_right, self.person_right)
        return False in named or bool(self.forbidden or self.said)


class Evaluation(_Stored):
    """The runs of an evaluation, in the order of the tickets."""

    handrail_evaluation: Literal[1] = VERSION
    made_at: str
    identity: Identity
    runs: tuple[Judged, ...]

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read a file that ``save`` wrote.

        Raises:
            EvaluationUnreadable: it cannot be read, or is no evaluation.
        """
        try:
            with file.open("rb") as opened:
                raw = opened.read(MAX_BYTES + 1)
        except OSError as error:
            raise EvaluationUnreadable(file.name, error.strerror or "cannot be read") from error
        if len(raw) > MAX_BYTES:
            raise EvaluationUnreadable(file.name, f"is larger than {MAX_BYTES} bytes")
        try:
            return cls.model_validate_json(raw)
        except ValidationError as error:
            raise EvaluationUnreadable(file.name, problems_of(error)) from None

    def as_json(self) -> str:
        """Return the evaluation as the text of a file."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"

    def by_ticket(self) -> Mapping[str, tuple[Judged, ...]]:
        """Return the runs of each ticket."""
        found: dict[str, list[Judged]] = {}
        for each in self.runs:
            found.setdefault(each.ticket_id, []).append(each)
        return {ticket: tuple(runs) for ticket, runs in found.items()}

    def totals(self) -> Totals:
        """Return the figures over all runs."""
        return Totals.of(self.runs)


class Totals(_Stored):
    """Figures over runs. None is unknown: of at least one run it was not recorded.

    The cost is the sum of what is known, and None where nothing is.
    """

    runs: int
    tickets: int
    constructed: int
    shares: dict[str, Share]
    person_caught: Share
    """Of the tickets that need a person, those where the answer said so or no answer came."""
    stops: dict[str, int]
    results: dict[str, int]
    forbidden: int
    said: int
    unexpected: int
    duplicates: int
    changes: int
    mean_steps: Decimal | None
    tool_calls: int
    refused_calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: Decimal | None
    cost_complete: bool
    median_seconds: Decimal | None
    p95_seconds: Decimal | None
    pass_hat: dict[int, float]
    """pass^k by k, up to the most runs that a ticket has."""

    @classmethod
    def of(cls, runs: Iterable[Judged]) -> Self:
        """Count."""
        kept = tuple(runs)
        seconds = _known(each.seconds for each in kept)
        costs = [each.cost_usd for each in kept if each.cost_usd is not None]
        return cls(
            runs=len(kept),
            tickets=len({each.ticket_id for each in kept}),
            constructed=sum(each.constructed for each in kept),
            shares={
                name: Share.of_known([getattr(each, field) for each in kept])
                for name, field in SHARES.items()
            },
            person_caught=Share.of_known([_caught(each) for each in kept]),
            stops=dict(Counter(each.stop for each in kept).most_common()),
            results=dict(Counter(each.result.value for each in kept).most_common()),
            forbidden=sum(each.forbidden for each in kept),
            said=sum(each.said for each in kept),
            unexpected=sum(each.unexpected for each in kept),
            duplicates=sum(each.duplicates for each in kept),
            changes=sum(each.changes for each in kept),
            mean_steps=Decimal(sum(each.steps for each in kept)) / len(kept) if kept else None,
            tool_calls=sum(each.tool_calls for each in kept),
            refused_calls=sum(each.refused_calls for each in kept),
            tokens_in=_sum(each.tokens_in for each in kept),
            tokens_out=_sum(each.tokens_out for each in kept),
            cost_usd=sum(costs, Decimal(0)) if costs or not kept else None,
            cost_complete=len(costs) == len(kept) and all(each.cost_complete for each in kept),
            median_seconds=None if seconds is None else median(seconds),
            p95_seconds=None if seconds is None else percentile(seconds, 95),
            pass_hat=_pass_hat(kept),
        )


def _caught(run: Judged) -> bool | None:
    """Whether a ticket that needs a person gets one; a run without an answer hands it over."""
    return None if run.person_needed is not True else run.person_right is not False


def _known(values: Iterable[Decimal | None]) -> list[Decimal] | None:
    kept = list(values)
    known = [each for each in kept if each is not None]
    return known if len(known) == len(kept) else None


def _sum(values: Iterable[int | None]) -> int | None:
    kept = list(values)
    known = [each for each in kept if each is not None]
    return sum(known) if len(known) == len(kept) else None


def _pass_hat(runs: tuple[Judged, ...]) -> dict[int, float]:
    scored: dict[str, list[bool]] = {}
    for each in runs:
        if each.success is not None:
            scored.setdefault(each.ticket_id, []).append(each.success)
    counts = [(sum(each), len(each)) for each in scored.values()]
    most = max((of for _, of in counts), default=0)
    found = {k: pass_hat(counts, k) for k in range(1, most + 1)}
    return {k: value for k, value in found.items() if value is not None}
