"""What each thing that people do says of a run, and what several say together."""

from __future__ import annotations

import pytest

from bot.labels.signs import Sign, Worth, worth_of
from bot.slack.store.drafts import FeedbackKind

FOR = (Sign.HELPFUL, Sign.APPROVED)
AGAINST = (Sign.NOT_HELPFUL, Sign.REJECTED, Sign.AMOUNT_EDITED, Sign.DISCARDED)
NOTHING = (Sign.EDITED, Sign.STOPPED, Sign.ASKED_AGAIN, Sign.RETRIED)


def worth(*signs: Sign, answered: bool = True) -> Worth:
    return worth_of(dict.fromkeys(signs, 1), answered=answered)


def test_every_sign_is_among_those_that_the_rules_name() -> None:
    assert {*FOR, *AGAINST, *NOTHING, Sign.TAKEN_OVER} == set(Sign)


def test_every_kind_of_feedback_is_a_sign() -> None:
    assert [Sign(kind.value) for kind in FeedbackKind]


@pytest.mark.parametrize("sign", FOR)
def test_what_speaks_for_an_answer_says_nothing_where_there_is_none(sign: Sign) -> None:
    assert worth(sign) is Worth.SUCCEEDED
    assert worth(sign, answered=False) is Worth.UNDECIDED


@pytest.mark.parametrize("sign", AGAINST)
def test_what_speaks_against_a_run_makes_it_failed(sign: Sign) -> None:
    assert worth(sign) is worth(sign, answered=False) is Worth.FAILED


@pytest.mark.parametrize("sign", NOTHING)
def test_what_says_nothing_leaves_a_run_unknown(sign: Sign) -> None:
    assert worth(sign) is Worth.UNDECIDED
    assert worth(sign, Sign.HELPFUL) is Worth.SUCCEEDED


def test_taking_over_speaks_against_a_run_without_an_answer_alone() -> None:
    assert worth(Sign.TAKEN_OVER) is Worth.UNDECIDED
    assert worth(Sign.TAKEN_OVER, answered=False) is Worth.FAILED


def test_one_voice_against_many_makes_a_run_contradictory() -> None:
    signs = {Sign.HELPFUL: 9, Sign.NOT_HELPFUL: 1}

    assert worth_of(signs, answered=True) is Worth.CONTRADICTORY
    assert Worth.CONTRADICTORY.success is None


def test_a_sign_that_was_counted_zero_times_is_none() -> None:
    assert worth_of({Sign.HELPFUL: 1, Sign.DISCARDED: 0}, answered=True) is Worth.SUCCEEDED
