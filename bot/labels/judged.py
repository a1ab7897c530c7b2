"""Runs that people judged, read from the store: the journal, and what was done with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from sqlite_utils import Database

from approvals import (
    OperationState,
    Proposal,
    ProposalState,
    decided_runs,
    operations_of,
    proposals_of_run,
    said_of,
)
from bot.labels.signs import Sign, Worth, worth_of
from bot.recorded_runs import readable_entries
from bot.slack.store.drafts import edited_text, feedback_of, judged_runs
from loop import Result
from recordings import Recording, Runs
from tools import Action

__all__ = ["JudgedRun", "ReadJudged", "SignedActions", "read_judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedActions:
    """What people signed of a run's proposals, and the shop did."""

    actions: tuple[Action, ...]
    rule: str | None
    edited: bool
    """Whether somebody changed an amount first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRun:
    """One run that has ended, with all that people did with it."""

    recording: Recording
    signs: Counter[Sign]
    reasons: tuple[str, ...]
    """Why proposals were rejected, in the words of those who did."""
    text_kept: float | None
    """Which share of the words of draft and edited text is the same, 0 to 1; None: not edited."""
    signed: SignedActions | None
    """None where nothing was signed and done, or some of it is not settled."""

    @property
    def answered(self) -> bool:
        """Whether it came to a valid answer."""
        closed = self.recording.closed
        return closed is not None and closed.result == Result.VALID

    @property
    def worth(self) -> Worth:
        """What people's verdicts say of it together."""
        return worth_of(self.signs, answered=self.answered)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadJudged:
    """The judged runs, oldest first, and how many more cannot be labels."""

    runs: tuple[JudgedRun, ...]
    unfinished: int
    """Runs that live still, or were interrupted."""
    erased: int
    """Runs whose journal is gone, or cannot be read whole."""


def read_judged(db: Database) -> ReadJudged:
    """Read every run that somebody judged. A read."""
    runs = Runs(db)
    wanted = judged_runs(db) | decided_runs(db)
    found: list[JudgedRun] = []
    erased = unfinished = 0
    for run_id in runs.ids():
        if run_id not in wanted:
            continue
        entries, damaged = readable_entries(runs, run_id)
        recording = Recording.of(run_id, entries)
        if recording is None or damaged:
            erased += 1
        elif not recording.complete:
            unfinished += 1
        else:
            found.append(_judged(db, recording))
    return ReadJudged(runs=tuple(found), unfinished=unfinished, erased=erased)


def _judged(db: Database, recording: Recording) -> JudgedRun:
    run_id = recording.name
    signs: Counter[Sign] = Counter()
    for kind, count in feedback_of(db, run_id).items():
        signs[Sign(kind.value)] += count
    proposals = _Proposals(db, proposals_of_run(db, run_id))
    signs.update(proposals.signs())
    return JudgedRun(
        recording=recording,
        signs=signs,
        reasons=tuple(proposals.reasons()),
        text_kept=_text_kept(db, recording),
        signed=proposals.signed(),
    )


class _Proposals:
    """The proposals of one run, without those that a person asked for beyond it.

    A rejected one that was reopened counts no more: what came of the new one does. One that was
    asked for once more after it was done is a person's, not the run's.
    """

    def __init__(self, db: Database, found: Sequence[Proposal]) -> None:
        self._db = db
        self._by_id = {each.proposal_id: each for each in found}
        self._own = [each for each in found if not self._is_repeat(each)]

    def signs(self) -> Iterator[Sign]:
        """Yield what each decision about the run's own actions says, and each edit."""
        for each in self._own:
            if each.version > 1:
                yield Sign.AMOUNT_EDITED
            if each.reopened_as is not None:
                continue
            for said in said_of(self._db, each.proposal_id):
                if said.version == 1 and not self._comes_of_an_edit(each):
                    yield Sign.APPROVED if said.approves else Sign.REJECTED

    def reasons(self) -> Iterator[str]:
        """Yield why proposals that stay rejected were."""
        for each in self._own:
            if each.reopened_as is None:
                for said in said_of(self._db, each.proposal_id):
                    if not said.approves and said.why:
                        yield said.why

    def signed(self) -> SignedActions | None:
        """Return what was signed and done, where all that was asked for is settled so."""
        replaced = {each.made_from for each in self._own}
        last = [each for each in self._own if each.proposal_id not in replaced]
        if not last or any(each.state is not ProposalState.DONE for each in last):
            return None
        return SignedActions(
            actions=tuple(
                operation.action
                for each in self._own
                for operation in operations_of(self._db, each.proposal_id)
                if operation.state is OperationState.DONE
            ),
            rule=last[-1].rule,
            edited=any(each.version > 1 for each in self._own),
        )

    def _source(self, proposal: Proposal) -> Proposal | None:
        return None if proposal.made_from is None else self._by_id.get(proposal.made_from)

    def _is_repeat(self, proposal: Proposal) -> bool:
        source = self._source(proposal)
        if source is None:
            return False
        return source.state is ProposalState.DONE or self._is_repeat(source)

    def _comes_of_an_edit(self, proposal: Proposal) -> bool:
        source = self._source(proposal)
        return source is not None and (source.version > 1 or self._comes_of_an_edit(source))


def _text_kept(db: Database, recording: Recording) -> float | None:
    edited = edited_text(db, recording.name)
    resolution: Mapping[str, object] | None = (
        None if recording.closed is None else recording.closed.resolution
    )
    if edited is None or resolution is None:
        return None
    before, after = str(resolution["reply"]).split(), edited.text.split()
    return round(SequenceMatcher(None, before, after, autojunk=False).ratio(), 2)
