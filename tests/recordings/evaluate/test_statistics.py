"""The figures of an evaluation, against values worked out by hand or found in print."""

from __future__ import annotations

from decimal import Decimal

import pytest

from recordings import Share
from recordings.evaluate.statistics import median, pass_hat, percentile, sign_test


def test_wilsons_interval_is_the_one_worked_out_by_hand() -> None:
    """8 of 10: the middle is (0.8 + 3.8415/20) / 1.38415, the half width 0.2266."""
    low, high = Share(right=8, of=10).interval

    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)


def test_the_interval_never_leaves_the_shares_that_can_be() -> None:
    assert Share(right=0, of=10).interval[0] == 0
    assert Share(right=10, of=10).interval[1] == pytest.approx(1)
    assert Share(right=0, of=0).interval == (0.0, 1.0)
    assert Share(right=0, of=0).value is None


def test_unknown_answers_count_nowhere() -> None:
    assert Share.of_known([True, None, False, True]) == Share(right=2, of=3)


def test_the_median_of_an_even_number_lies_between_the_two() -> None:
    assert median([Decimal(n) for n in (4, 1, 3, 2)]) == Decimal("2.5")
    assert median([Decimal(n) for n in (9, 1, 3)]) == 3
    assert median([]) is None


def test_a_percentile_is_a_value_that_was_seen() -> None:
    values = [Decimal(n) for n in range(1, 21)]

    assert percentile(values, 95) == 19
    assert percentile(values, 100) == 20
    assert percentile(values, 1) == 1
    assert percentile(values[::-1], 95) == 19
    assert percentile([], 95) is None


def test_pass_hat_is_the_chance_that_all_of_k_runs_succeed() -> None:
    """Two tickets of four runs, 4 and 2 of them good. For two runs: (1 + 1/6) / 2."""
    counts = [(4, 4), (2, 4)]

    assert pass_hat(counts, 1) == 0.75
    assert pass_hat(counts, 2) == pytest.approx(7 / 12)
    assert pass_hat(counts, 4) == 0.5
    assert pass_hat(counts, 5) is None


def test_the_sign_test_is_exact() -> None:
    assert sign_test(0, 0) == 1
    assert sign_test(5, 5) == 1
    assert sign_test(0, 6) == 2 / 64
    assert sign_test(6, 0) == 2 / 64
