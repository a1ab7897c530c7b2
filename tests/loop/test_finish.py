"""The finish tool: its schema, the rules of its actions, and the evidence rule (B25 to B31)."""

from __future__ import annotations

import json
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop.errors import FinishRefused
from loop.finish import MAX_ACTIONS, finish_spec, read_finish
from loop.resolution import Outcome
from tests.loop.fakes import action, finish_arguments
from tools import CreateReturnLabel, OrderFact, RequestRefund, ReshipItem

CAD = OrderFact(order_id="LK-100001", status="shipped", currency="CAD")
ORDERS = {"LK-100001": CAD}


def accepted(arguments: Any, orders: dict[str, OrderFact] = ORDERS) -> Any:
    """The resolution."""
    return read_finish(json.dumps(arguments), orders)


def refused(arguments: Any, orders: dict[str, OrderFact] = ORDERS) -> str:
    """Why it is refused."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    with pytest.raises(FinishRefused) as refusal:
        read_finish(text, orders)
    return str(refusal.value)


def resolve(*actions: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A finish with actions."""
    return finish_arguments("resolve", actions=list(actions), **fields)


LABEL = action("create_return_label", sku="RUG-W", reason="damaged")
RESHIP = action("reship_item", sku="RUG-W", quantity=2)


def test_a_reply_only_finish_is_accepted_with_every_field() -> None:
    made = accepted(finish_arguments())
    assert (made.outcome, made.rule, made.actions) == (Outcome.REPLY_ONLY, "W1", ())
    assert made.reply.startswith("Your order")
    assert made.reason == "not late"
    assert (made.team, made.language, made.confidence, made.order) == (None, None, None, None)


def test_three_kinds_of_action_become_strict_ones() -> None:
    made = accepted(resolve(action(), LABEL, RESHIP))
    assert [type(one) for one in made.actions] == [RequestRefund, CreateReturnLabel, ReshipItem]


def test_resolve_needs_an_action() -> None:
    assert "needs at least one action" in refused(finish_arguments("resolve"))


@pytest.mark.parametrize("outcome", ["reply_only", "ask_customer", "hand_to_person"])
def test_no_other_outcome_may_have_one(outcome: str) -> None:
    assert "only the outcome resolve" in refused(finish_arguments(outcome, actions=[action()]))


@pytest.mark.parametrize("outcome", ["reply_only", "ask_customer", "resolve"])
@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_answer_without_text_is_refused(outcome: str, text: str) -> None:
    actions = [action()] if outcome == "resolve" else []
    assert refused(finish_arguments(outcome, reply=text, actions=actions)).startswith("reply:")


def test_only_a_hand_over_may_have_no_text_and_needs_no_look_up() -> None:
    assert accepted(finish_arguments("hand_to_person", reply=""), {}).needs_human


def test_an_order_that_no_tool_returned_is_refused() -> None:
    assert "look it up first" in refused(resolve(action()), {})
    assert "action 2: no tool" in refused(resolve(LABEL, action(order_id="LK-100002")))


@pytest.mark.parametrize(
    ("amount", "minor"), [(0.01, 1), (9.949, 995), (9.945, 995), (5000, 500_000), (5000.0, 500_000)]
)
def test_an_amount_is_rounded_half_up_to_the_cent(amount: float, minor: int) -> None:
    """B30: 9.949 becomes 9.95."""
    assert accepted(resolve(action(amount=amount))).actions[0].amount_minor == minor


@pytest.mark.parametrize("amount", [0, -1, 5000.01, 5001, 1e300, 0.004, "9.95", True, None])
def test_an_amount_out_of_bounds_or_of_another_kind_is_refused(amount: Any) -> None:
    assert refused(resolve(action(amount=amount)))


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "1e999", "9" * 200])
def test_an_amount_that_json_or_money_does_not_have_is_refused(amount: str) -> None:
    refused(json.dumps(resolve(action(amount=7))).replace("7", amount, 1))


@pytest.mark.parametrize(
    ("currency", "amount", "minor"),
    [("JPY", 995.5, 996), ("CAD", 9.955, 996), ("KWD", 9.9555, 9956), ("JPY", 1, 1)],
)
def test_the_currencys_own_digits_decide(currency: str, amount: float, minor: int) -> None:
    fact = OrderFact(order_id="LK-100001", status=None, currency=currency)
    made = accepted(resolve(action(amount=amount)), {"LK-100001": fact}).actions[0]
    assert (made.amount_minor, made.currency) == (minor, currency)


@pytest.mark.parametrize(("currency", "amount"), [("JPY", 0.4), ("CAD", 0.004), ("KWD", 0.0004)])
def test_an_amount_of_nothing_in_the_smallest_unit_is_refused(currency: str, amount: float) -> None:
    fact = OrderFact(order_id="LK-100001", status=None, currency=currency)
    assert "smallest unit" in refused(resolve(action(amount=amount)), {"LK-100001": fact})


def test_a_refund_on_an_order_without_a_known_currency_is_refused() -> None:
    fact = OrderFact(order_id="LK-100001", status="shipped", currency=None)
    assert "currency is not known" in refused(resolve(action()), {"LK-100001": fact})


@pytest.mark.parametrize("quantity", [1, 10, 1.0])
def test_a_quantity_within_bounds_may_be_written_as_a_whole_decimal(quantity: float) -> None:
    made = accepted(resolve(RESHIP | {"quantity": quantity})).actions[0]
    assert (made.quantity, type(made.quantity)) == (int(quantity), int)


@pytest.mark.parametrize("quantity", [0, -1, 11, 1.5, "1", True, None])
def test_a_quantity_out_of_bounds_or_of_another_kind_is_refused(quantity: Any) -> None:
    refused(resolve(RESHIP | {"quantity": quantity}))


@pytest.mark.parametrize(
    "change",
    [
        {"tool": "delete_order"},
        {"tool": None},
        {"reason": "RFD-NICE"},
        {"reason": None, "amount": 9.95},
        {"reason": "RFD-DAMAGE"},
        {"reason": "RFD-DAMAGE", "sku": "RUG-W"},
        {"reason": "RFD-DOUBLE"},
        {"reason": "RFD-LATE", "quantity": 1},
        {"reason": 7},
        {"order_id": None},
        {"more": 1},
    ],
)
def test_a_refund_that_does_not_hold_together_is_refused(change: dict[str, Any]) -> None:
    refused(resolve(action() | change))


@pytest.mark.parametrize(
    "wrong",
    [
        LABEL | {"amount": 9.95},
        LABEL | {"quantity": 1},
        LABEL | {"payment_id": "PAY-1"},
        LABEL | {"sku": None},
        LABEL | {"sku": "A"},
        LABEL | {"sku": "A" * 21},
        LABEL | {"reason": "RFD-LATE"},
        LABEL | {"reason": None},
        RESHIP | {"reason": "damaged"},
        RESHIP | {"amount": 1},
        RESHIP | {"sku": None},
    ],
)
def test_a_field_that_the_actions_tool_does_not_use_or_lacks_is_refused(
    wrong: dict[str, Any],
) -> None:
    assert refused(resolve(wrong)).startswith("action")


def test_a_refund_names_what_it_is_for() -> None:
    damaged = action(reason="RFD-DAMAGE", sku="RUG-W", quantity=2)
    double = action(reason="RFD-DOUBLE", payment_id="PAY-100001-2")
    made = accepted(
        resolve(
            action(amount=9.95, reason="RFD-LATE"), damaged | {"amount": 3}, double | {"amount": 3}
        )
    )
    assert [one.target.value for one in made.actions] == ["fee", "item", "payment"]


@pytest.mark.parametrize("count", [MAX_ACTIONS - 1, MAX_ACTIONS, MAX_ACTIONS + 1])
def test_four_actions_fit(count: int) -> None:
    finish = resolve(*(LABEL | {"sku": f"SKU-{number}"} for number in range(count)))
    if count <= MAX_ACTIONS:
        assert len(accepted(finish).actions) == count
    else:
        assert refused(finish).startswith("actions")


def test_two_equal_actions_are_refused_and_never_merged() -> None:
    assert "action 3 is equal" in refused(resolve(action(), LABEL, action()))
    assert "is equal" in refused(resolve(action(amount=9.95), action(amount=9.949)))
    assert len(accepted(resolve(action(amount=9.95), action(amount=9.94))).actions) == 2


@pytest.mark.parametrize(("name", "longest"), [("rule", 40), ("reply", 2000), ("reason", 600)])
def test_texts_at_their_longest(name: str, longest: int) -> None:
    accepted(finish_arguments(**{name: "x" * longest}))
    assert name in refused(finish_arguments(**{name: "x" * (longest + 1)}))


def test_the_rule_may_be_null_and_must_be_there() -> None:
    assert accepted(finish_arguments(rule=None)).rule is None
    without = finish_arguments()
    del without["rule"]
    assert "rule" in refused(without)


@pytest.mark.parametrize(
    "text",
    ["", "   ", "{", "[]", "null", "7", '"x"', "{}", '{"outcome": "x"}', "[" * 100_000, "\ud800"],
)
def test_what_is_no_finish_at_all_is_refused_in_words(text: str) -> None:
    assert refused(text)


def test_a_double_key_is_refused() -> None:
    text = json.dumps(finish_arguments())
    assert "twice" in refused(text[:-1] + ', "outcome": "hand_to_person"}')


def test_a_refusal_names_at_most_five_faults_and_no_value() -> None:
    secret = "sk-secret-value"
    wrong = [action() | {"tool": secret, "reason": [secret], "sku": ""} for _ in range(4)]
    message = refused(finish_arguments(secret, actions=wrong))
    assert secret not in message
    assert message.count(";") <= 5


def test_the_schema_is_strict_all_the_way_down() -> None:
    schema = finish_spec().parameters
    assert schema["required"] == ["outcome", "rule", "actions", "reply", "reason"]
    flat = schema["properties"]["actions"]["items"]
    assert flat["required"] == list(flat["properties"])
    assert flat["additionalProperties"] is schema["additionalProperties"] is False
    assert "customer_id" not in json.dumps(dict(schema))
    assert "$ref" not in json.dumps(dict(schema))


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-9, max_value=9999),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.sampled_from([*finish_arguments(), "more"]),
    st.sampled_from([None, *action(), "more"]),
    _VALUES,
)
def test_any_value_anywhere_is_accepted_or_refused_and_nothing_else(
    name: str, inside: str | None, value: Any
) -> None:
    finish = resolve(action())
    if inside is None:
        finish[name] = value
    else:
        finish["actions"] = [action() | {inside: value}]
    text = json.dumps(finish, default=lambda number: float(Decimal(number)))
    with suppress(FinishRefused):
        read_finish(text, ORDERS)


def test_a_refund_in_a_currency_that_cannot_be_is_refused_and_never_an_exception() -> None:
    """A plugin's tool may return any text as an order's currency."""
    odd = OrderFact(order_id="LK-100001", status="shipped", currency="zzz")

    assert "action 1: the order's currency cannot be refunded in" in refused(
        resolve(action()), {"LK-100001": odd}
    )
