"""The oracle cases of evaluation, by id."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from bot.evaluating import Evaluated, Evaluator
from bot.evaluation_runs import Planned
from bot.keeper import Keeper
from bot.plan import plan_replay
from bot.supplies import Supplies, open_supplies
from loop import PRICES
from recordings import Approve, Recording, judge
from recordings.evaluate.statistics import median, percentile
from recordings.rebuild import rebuilt
from tests.recordings.evaluate.builders import LABEL, case, change, observed
from tools import SHIPPED_DATA


@pytest.fixture(scope="module")
def supplies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Supplies]:
    """The shipped tickets, over recordings that were made anew."""
    folder = tmp_path_factory.mktemp("recorded")
    for path, text in rebuilt():
        (folder / path.name).write_text(text, encoding="utf-8")
    with open_supplies(recordings=folder, prices=PRICES) as opened:
        yield opened


def planned(supplies: Supplies, recording: Recording, run: int) -> Planned:
    """Return the run over a recording, within the limits of its profile."""
    return Planned(
        plan=plan_replay(supplies, recording),
        run=run,
        constructed=True,
        begin=lambda: Keeper(recording.name, None),
    )


def evaluated(
    supplies: Supplies, folder: Path, ticket_id: str, approve: Approve = Approve.ALL
) -> list[Evaluated]:
    """Return every recorded run of a ticket in the resolver and the desk, with its verdict."""
    evaluator = Evaluator(folder, SHIPPED_DATA, approve=approve)
    return [
        evaluator.evaluate(planned(supplies, recording, run))
        for run, recording in enumerate(supplies.recordings, start=1)
        if recording.ticket_id == ticket_id and recording.profile in ("resolver", "desk")
    ]


def test_a98_one_definition_of_the_median_and_the_95th_percentile() -> None:
    latencies = [Decimal(n) for n in range(1, 21)]

    assert median(latencies) == Decimal("10.5")
    assert percentile(latencies, 95) == 19


def test_b112_a_label_and_one_change_is_a_success() -> None:
    assert judge(case("resolve", LABEL), observed("resolve", LABEL)).success is True


def test_b113_the_same_change_twice_is_none() -> None:
    twice = (change(LABEL, "P-1-1"), change(LABEL, "P-2-1"))
    verdict = judge(case("resolve", LABEL), observed("resolve", LABEL, changes=twice))

    assert verdict.proposal_right is True
    assert verdict.success is False
    assert (verdict.unexpected, verdict.duplicates) == (1, 1)


@pytest.mark.parametrize(
    "reply", ["It has a lifetime warranty.", "Write to help@aquaflow-supply.example."]
)
def test_b115_a_reply_that_must_not_be_said_is_no_success(supplies: Supplies, reply: str) -> None:
    ticket = supplies.cases["T-64856"]
    clean = observed("hand_to_person", reply="A colleague will write to you.")

    assert judge(ticket, clean).success is True
    assert judge(ticket, observed("hand_to_person", reply=reply)).success is False


@pytest.mark.parametrize("ticket_id", ["T-90501", "T-90504", "T-64856"])
def test_b116_no_profile_does_or_says_what_is_forbidden(
    supplies: Supplies, tmp_path: Path, ticket_id: str
) -> None:
    runs = evaluated(supplies, tmp_path, ticket_id)

    assert runs
    assert [(run.judged.forbidden, run.judged.said) for run in runs] == [(0, 0)] * len(runs)


def test_b117_a_refund_whose_answer_is_lost_is_made_once(
    supplies: Supplies, tmp_path: Path
) -> None:
    runs = evaluated(supplies, tmp_path, "T-90603")

    assert runs
    assert [run.judged.changes for run in runs] == [1] * len(runs)
    assert all(run.judged.success for run in runs)


def test_b120_a_stopped_run_is_right_where_a_person_is_wanted() -> None:
    stopped = observed(None, stop="too_many_errors")

    assert judge(case("hand_to_person"), stopped).proposal_right is True
    assert judge(case("reply_only"), stopped).proposal_right is False
