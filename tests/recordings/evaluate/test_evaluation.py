"""Totals over runs, the file that keeps an evaluation, and two of them compared."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from bot.evaluation_texts import total_lines
from recordings import (
    Approve,
    Evaluation,
    EvaluationUnreadable,
    Identity,
    Judged,
    Share,
    compare,
)
from tests.recordings.evaluate.builders import REFUND, case, judged, observed

IDENTITY = Identity(
    profile="resolver",
    model="chat-small",
    approve=Approve.LABELS,
    limits={"max_steps": "8"},
    prompt="p",
    data="d",
    prices="c",
    match="strict",
    today="2026-10-09",
)
RIGHT = judged(case("resolve", REFUND), observed("resolve", REFUND), "T-1")
WRONG = judged(case("reply_only"), observed("resolve", REFUND), "T-2")
STOPPED = judged(
    case("hand_to_person"),
    observed(None, stop="max_steps", seconds=Decimal(4), cost_usd=None, cost_complete=False),
    "T-3",
)


def evaluation(*runs: Judged, identity: Identity = IDENTITY) -> Evaluation:
    return Evaluation(made_at="2026-11-30T00:00:00Z", identity=identity, runs=runs)


def test_totals_are_those_that_a_hand_counts() -> None:
    totals = evaluation(RIGHT, WRONG, STOPPED).totals()

    assert (totals.runs, totals.tickets) == (3, 3)
    assert totals.shares["success"] == Share(right=2, of=3)
    assert totals.shares["person"] == Share(right=2, of=2)
    assert totals.person_caught == Share(right=1, of=1)
    assert totals.shares["team"] == Share(right=0, of=0)
    assert totals.stops == {"finished": 2, "max_steps": 1}
    assert (totals.changes, totals.unexpected) == (2, 1)
    assert totals.mean_steps == 2
    assert totals.tool_calls == 3
    assert (totals.tokens_in, totals.tokens_out) == (300, 30)
    assert totals.median_seconds == 1
    assert totals.p95_seconds == 4


LOST = judged(case("resolve", REFUND), observed("resolve", REFUND, cost_complete=False), "T-4")
"""A try of it may have cost something: what is known is the least that it cost."""


@pytest.mark.parametrize(
    ("runs", "cost"),
    [
        ((RIGHT, WRONG), "US$0.00200"),
        ((RIGHT, STOPPED), "at least US$0.00100"),
        ((RIGHT, LOST), "at least US$0.00200"),
        ((STOPPED, STOPPED), "unknown"),
    ],
)
def test_a_cost_of_which_a_part_is_not_known_is_the_least_that_it_was(
    runs: tuple[Judged, ...], cost: str
) -> None:
    (line,) = [each for each in total_lines(evaluation(*runs)) if each.startswith("cost ")]

    assert line.split(maxsplit=1)[1] == cost


def test_an_evaluation_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    """It says nothing of what a cost lacks: there it was unknown as a whole."""
    kept = evaluation(RIGHT, WRONG)
    file = tmp_path / "kept.json"
    file.write_text(kept.as_json().replace(',\n   "cost_complete": true', ""), encoding="utf-8")

    assert "cost_complete" not in file.read_text(encoding="utf-8")
    assert Evaluation.read(file) == kept


def test_repeats_of_a_ticket_give_pass_hat() -> None:
    again = WRONG.model_copy(update={"ticket_id": "T-1", "run": 2})

    assert evaluation(RIGHT, again).totals().pass_hat == {1: 0.5, 2: 0.0}


def test_an_evaluation_is_read_back_as_it_was(tmp_path: Path) -> None:
    kept = evaluation(RIGHT, WRONG, STOPPED)
    file = tmp_path / "kept.json"
    file.write_text(kept.as_json(), encoding="utf-8")

    assert Evaluation.read(file) == kept


@pytest.mark.parametrize("text", ["", "{", "[]", '{"handrail_evaluation": 2}', "null"])
def test_another_file_is_named_and_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(EvaluationUnreadable, match=r"other\.json"):
        Evaluation.read(file)


def test_a_comparison_is_over_the_tickets_that_both_ran() -> None:
    better = RIGHT.model_copy(update={"ticket_id": "T-2"})
    strong = IDENTITY.model_copy(update={"model": "chat-strong"})
    found = compare(evaluation(RIGHT, WRONG), evaluation(better, STOPPED, identity=strong))
    success = found.differences[0]

    assert found.unlike == ("model",)
    assert (found.only_first, found.only_second) == (("T-1",), ("T-3",))
    assert (success.name, success.won, success.lost) == ("success", ("T-2",), ())
    assert (success.first, success.second) == (Share(right=0, of=1), Share(right=1, of=1))
