"""The sentences: one for each member, figures rounded, foreign text made safe."""

from __future__ import annotations

from decimal import Decimal

import pytest

from bot.texts import (
    action_text,
    at_least,
    cost_text,
    counted,
    outcome_text,
    reason_text,
    safe,
    seconds_text,
    shortened,
    stop_text,
    tokens_text,
)
from loop import Outcome, Stop, StopReason
from tools import CreateReturnLabel, LabelReason, RefundReason, RequestRefund, ReshipItem


def test_every_reason_and_outcome_has_words_of_its_own() -> None:
    assert len({reason_text(reason) for reason in StopReason}) == len(StopReason)
    assert len({outcome_text(outcome) for outcome in Outcome}) == len(Outcome)


def test_a_stop_names_all_that_is_known_of_it() -> None:
    stop = Stop(
        reason=StopReason.TIME,
        step=3,
        limit="max_seconds",
        limit_value="3",
        observed="3.31",
        also=("max_cost_usd", "max_errors"),
        cause="x\x1by",
    )

    assert stop_text(stop) == (
        "time at step 3: the time that is allowed was used up; limit max_seconds is 3; "
        "observed 3.31; also reached: max_cost_usd, max_errors; x\ufffdy"
    )
    assert stop_text(stop, cause=False).endswith("max_errors")


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        ("0", "US$0.00000"),
        ("0.0004839", "US$0.00048"),
        ("0.000485", "US$0.00049"),
        ("12.3", "US$12.30000"),
    ],
)
def test_a_cost_has_five_decimals_rounded_half_up(usd: str, text: str) -> None:
    assert cost_text(Decimal(usd)) == text
    assert at_least(Decimal(usd)) == f"at least {text}"


def test_unknown_tokens_are_said_to_be_unknown() -> None:
    assert tokens_text(None, 3) == "unknown tokens in, 3 out"


@pytest.mark.parametrize(
    ("us", "text"), [(0, "0.00 s"), (2_404_999, "2.40 s"), (2_405_000, "2.41 s")]
)
def test_seconds_have_two_decimals_rounded_half_up(us: int, text: str) -> None:
    assert seconds_text(us) == text


def test_counts_have_their_plural() -> None:
    assert [counted(count, "call") for count in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]


@pytest.mark.parametrize("length", [9, 10, 11])
def test_a_text_longer_than_the_most_ends_in_an_ellipsis(length: int) -> None:
    short = shortened("x" * length, 10)

    assert short == ("x" * length if length <= 10 else "x" * 9 + "…")


def test_foreign_text_cannot_act_on_a_terminal() -> None:
    assert safe("a\x1b[31mb\u202ec\td\r\n") == "a\ufffd[31mb\ufffdc    d\ufffd\n"
    assert shortened("a\n\x9bb", 10) == "a \ufffdb"


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (
            RequestRefund(
                order_id="LK-1",
                amount_minor=995,
                currency="CAD",
                reason_code=RefundReason.LATE,
            ),
            "Refund 9.95 CAD on order LK-1, of the delivery fee (RFD-LATE: late or lost)",
        ),
        (
            RequestRefund(
                order_id="LK-1",
                amount_minor=1000,
                currency="JPY",
                reason_code=RefundReason.DAMAGE,
                sku="POT",
                quantity=2,
            ),
            "Refund 1000 JPY on order LK-1, for 2 of POT (RFD-DAMAGE: damaged)",
        ),
        (
            RequestRefund(
                order_id="LK-1",
                amount_minor=1,
                currency="CAD",
                reason_code=RefundReason.DOUBLE,
                payment_id="PAY-1",
            ),
            "Refund 0.01 CAD on order LK-1, of payment PAY-1 (RFD-DOUBLE: charged twice)",
        ),
        (
            ReshipItem(order_id="LK-1", sku="POT", quantity=1),
            "Send 1 of POT from order LK-1 again, at no cost",
        ),
        (
            CreateReturnLabel(order_id="LK-1", sku="POT", reason=LabelReason.CHANGE_OF_MIND),
            "Return label for POT of order LK-1 (change_of_mind: a return fee is deducted)",
        ),
        (
            CreateReturnLabel(order_id="LK-1", sku="POT", reason=LabelReason.DAMAGED),
            "Return label for POT of order LK-1 (damaged: free)",
        ),
    ],
)
def test_an_action_is_named_exactly(
    action: RequestRefund | ReshipItem | CreateReturnLabel, text: str
) -> None:
    assert action_text(action) == text
