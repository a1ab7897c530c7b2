"""The rules about an unsettled operation, each at its boundary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from approvals.execution import (
    SECOND_US,
    Standing,
    Step,
    Trouble,
    absence_is_proved,
    growing_wait_us,
    next_step,
    send_wait_us,
    what_stays_open,
)
from tools import GatewayTraits

KEYED = GatewayTraits(
    name="keyed",
    honours_keys=True,
    key_lifetime_s=None,
    stores_failures=False,
    absence_provable=True,
    settle_s=60,
)
STRIPE_LIKE = replace(KEYED, key_lifetime_s=72_000, stores_failures=True)
KEYLESS = replace(KEYED, honours_keys=False)
BLIND = replace(KEYLESS, absence_provable=False)
KEYED_BLIND = replace(KEYED, absence_provable=False)
RETRYING = replace(KEYED_BLIND, stores_failures=True, retries_failed=True)
SHOPS = (KEYED, STRIPE_LIKE, KEYLESS, BLIND, KEYED_BLIND, RETRYING)
QUIET = 60 * SECOND_US


def standing(
    trouble: Trouble | None, *, left: int = 1, silent: int = 0, age: int | None = None
) -> Standing:
    return Standing(
        trouble=trouble,
        attempts_left=left,
        key_age_us=silent if age is None else age,
        silent_us=silent,
    )


@pytest.mark.parametrize("traits", SHOPS)
@pytest.mark.parametrize("trouble", [None, Trouble.UNASKED, Trouble.UNAVAILABLE])
@pytest.mark.parametrize(("left", "step"), [(1, Step.SEND), (0, Step.ABSENT)])
def test_what_was_never_acted_on_is_sent_while_attempts_are_left(
    traits: GatewayTraits, trouble: Trouble | None, left: int, step: Step
) -> None:
    assert next_step(traits, standing(trouble, left=left)) is step


@pytest.mark.parametrize("trouble", [Trouble.TIMEOUT, Trouble.IN_FLIGHT])
@pytest.mark.parametrize(
    ("traits", "silent", "step"),
    [
        (KEYED, 0, Step.RESEND),
        (KEYED, QUIET, Step.RESEND),
        (KEYED_BLIND, 0, Step.RESEND),
        (KEYLESS, QUIET - 1, Step.LOOK_AGAIN),
        (KEYLESS, QUIET, Step.GIVE_UP),
        (BLIND, QUIET - 1, Step.LOOK_AGAIN),
        (BLIND, QUIET, Step.GIVE_UP),
    ],
)
def test_after_silence_only_an_honoured_key_allows_a_repeat(
    traits: GatewayTraits, trouble: Trouble, silent: int, step: Step
) -> None:
    assert next_step(traits, standing(trouble, silent=silent)) is step


@pytest.mark.parametrize(
    ("age_s", "step"), [(71_999, Step.RESEND), (72_000, Step.GIVE_UP), (72_001, Step.GIVE_UP)]
)
def test_a_key_is_sent_again_only_within_its_lifetime(age_s: int, step: Step) -> None:
    known = standing(Trouble.TIMEOUT, silent=QUIET, age=age_s * SECOND_US)

    assert next_step(STRIPE_LIKE, known) is step


def test_a_key_from_the_future_counts_as_old() -> None:
    known = standing(Trouble.TIMEOUT, silent=QUIET, age=-1)

    assert next_step(STRIPE_LIKE, known) is Step.GIVE_UP


@pytest.mark.parametrize(("silent", "step"), [(QUIET - 1, Step.LOOK_AGAIN), (QUIET, Step.GIVE_UP)])
def test_after_silence_and_the_last_attempt_look_ups_go_on_and_then_a_person_does(
    silent: int, step: Step
) -> None:
    assert next_step(KEYED, standing(Trouble.TIMEOUT, left=0, silent=silent)) is step


@pytest.mark.parametrize(
    ("traits", "left", "silent", "step"),
    [
        (KEYED, 1, 0, Step.SEND),
        (KEYED, 0, 0, Step.ABSENT),
        (replace(KEYLESS, stores_failures=True), 1, 0, Step.ABSENT),
        (KEYLESS, 1, 0, Step.SEND),
        (STRIPE_LIKE, 1, 0, Step.ABSENT),
        (replace(STRIPE_LIKE, retries_failed=True), 1, 0, Step.SEND),
        (KEYED_BLIND, 1, 0, Step.LOOK_AGAIN),
        (KEYED_BLIND, 1, QUIET, Step.GIVE_UP),
        (RETRYING, 1, 0, Step.RESEND),
        (RETRYING, 0, 0, Step.LOOK_AGAIN),
        (BLIND, 1, QUIET, Step.GIVE_UP),
    ],
)
def test_after_a_failure_of_the_shop_absence_decides(
    traits: GatewayTraits, left: int, silent: int, step: Step
) -> None:
    assert next_step(traits, standing(Trouble.BROKE, left=left, silent=silent)) is step


@pytest.mark.parametrize(
    ("traits", "left", "silent", "step"),
    [
        (KEYED, 1, 0, Step.RESEND),
        (KEYED, 0, QUIET, Step.ABSENT),
        (KEYED, 0, QUIET - 1, Step.LOOK_AGAIN),
        (KEYLESS, 1, QUIET - 1, Step.LOOK_AGAIN),
        (KEYLESS, 1, QUIET, Step.SEND),
        (KEYLESS, 0, QUIET, Step.ABSENT),
        (BLIND, 1, QUIET - 1, Step.LOOK_AGAIN),
        (BLIND, 1, QUIET, Step.GIVE_UP),
    ],
)
def test_after_a_restart_a_call_may_still_be_on_its_way(
    traits: GatewayTraits, left: int, silent: int, step: Step
) -> None:
    assert next_step(traits, standing(Trouble.INTERRUPTED, left=left, silent=silent)) is step


def test_after_a_restart_with_an_aged_key_nothing_is_sent_again() -> None:
    known = standing(Trouble.INTERRUPTED, silent=QUIET, age=72_000 * SECOND_US)

    assert next_step(STRIPE_LIKE, known) is Step.ABSENT


@pytest.mark.parametrize(
    ("traits", "silent", "step"),
    [
        (KEYED, QUIET - 1, Step.LOOK_AGAIN),
        (KEYED, QUIET, Step.ABSENT),
        (BLIND, QUIET - 1, Step.LOOK_AGAIN),
        (BLIND, QUIET, Step.GIVE_UP),
    ],
)
def test_after_a_refusal_in_doubt_nothing_is_sent_again(
    traits: GatewayTraits, silent: int, step: Step
) -> None:
    assert next_step(traits, standing(Trouble.REFUSED, silent=silent)) is step


@pytest.mark.parametrize("traits", SHOPS)
@pytest.mark.parametrize("trouble", Trouble)
def test_without_an_earlier_doubt_the_latest_trouble_is_what_stays_open(
    traits: GatewayTraits, trouble: Trouble
) -> None:
    assert what_stays_open(traits, None, trouble) is trouble


@pytest.mark.parametrize(
    ("traits", "latest", "stays"),
    [
        (KEYED, Trouble.UNAVAILABLE, Trouble.TIMEOUT),
        (KEYED, Trouble.IN_FLIGHT, Trouble.IN_FLIGHT),
        (KEYED, Trouble.REFUSED, Trouble.REFUSED),
        (KEYED, Trouble.BROKE, Trouble.TIMEOUT),
        (RETRYING, Trouble.BROKE, Trouble.TIMEOUT),
        (STRIPE_LIKE, Trouble.BROKE, Trouble.BROKE),
    ],
)
def test_a_call_that_may_still_arrive_stays_in_doubt_whatever_a_later_one_met(
    traits: GatewayTraits, latest: Trouble, stays: Trouble
) -> None:
    assert what_stays_open(traits, Trouble.TIMEOUT, latest) is stays


@pytest.mark.parametrize("traits", SHOPS)
@pytest.mark.parametrize("trouble", [*Trouble, None])
@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("silent", [-QUIET, 0, QUIET - 1, QUIET, 100_000 * SECOND_US])
def test_a_repeat_is_never_decided_where_it_could_be_a_second_write(
    traits: GatewayTraits, trouble: Trouble | None, left: int, silent: int
) -> None:
    known = standing(trouble, left=left, silent=silent)
    step = next_step(traits, known)

    if step is Step.RESEND:
        assert traits.honours_keys
    if step is Step.SEND and trouble is not None and trouble.in_doubt:
        ended = trouble is Trouble.BROKE
        assert traits.absence_provable
        assert ended or silent >= QUIET
    if step in (Step.SEND, Step.RESEND):
        assert left > 0


@pytest.mark.parametrize(
    ("traits", "silent", "proved"),
    [(KEYED, QUIET - 1, False), (KEYED, QUIET, True), (BLIND, QUIET, False)],
)
def test_absence_is_proved_once_nothing_can_be_on_its_way(
    traits: GatewayTraits, silent: int, proved: bool
) -> None:
    assert absence_is_proved(traits, standing(Trouble.TIMEOUT, silent=silent)) is proved


@pytest.mark.parametrize(
    ("attempt", "asked", "seconds"),
    [(1, None, 2), (2, None, 8), (3, None, 8), (1, 5, 5), (2, 5, 8)],
)
def test_the_wait_behind_an_attempt(attempt: int, asked: int | None, seconds: int) -> None:
    assert send_wait_us((2, 8), attempt, asked) == seconds * SECOND_US


def test_without_waits_only_what_the_shop_asks_for_is_waited() -> None:
    assert send_wait_us((), 1) == 0
    assert send_wait_us((), 1, 3) == 3 * SECOND_US


@pytest.mark.parametrize(
    ("elapsed", "wait"), [(-5, 2), (0, 2), (4, 2), (6, 3), (120, 60), (999, 60)]
)
def test_a_growing_wait_is_half_of_what_has_passed_within_bounds(elapsed: int, wait: int) -> None:
    found = growing_wait_us(elapsed * SECOND_US, least_s=2, most_s=60)

    assert found == wait * SECOND_US
