"""The finish tool: its schema (reference facts B4), the rules of its actions, the evidence rule.

Only these refuse a finish inside the loop; everything else about an answer is the gates' to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loop.decision import FINISH
from loop.errors import FinishRefused
from loop.resolution import Outcome, Resolution
from tools import (
    MAX_REFUND,
    Action,
    DecimalNumber,
    JsonRefused,
    Money,
    MoneyError,
    OrderFact,
    ToolSpec,
    WholeNumber,
    action_from_dict,
    parameters_of,
    parse_json,
    problems_of,
)

__all__ = ["MAX_ACTIONS", "finish_spec", "read_finish"]

MAX_ACTIONS: Final = 4
"""Most actions of one finish, and of one proposal."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class FlatAction(_Strict):
    """One change, flat: fields that its tool does not use are null."""

    tool: Annotated[str, Field(pattern="^(create_return_label|reship_item|request_refund)$")]
    order_id: Annotated[str, Field(max_length=40)]
    sku: Annotated[str, Field(min_length=2, max_length=20)] | None
    quantity: Annotated[WholeNumber, Field(ge=1, le=10)] | None
    amount: Annotated[DecimalNumber, Field(gt=0, le=int(MAX_REFUND))] | None
    reason: Annotated[str, Field(max_length=40)] | None
    payment_id: Annotated[str, Field(max_length=40)] | None


class FinishArguments(_Strict):
    """The last word of a run in the resolver profile."""

    outcome: Annotated[Outcome, Field(strict=False)]
    rule: Annotated[str, Field(max_length=40)] | None
    actions: Annotated[list[FlatAction], Field(max_length=MAX_ACTIONS)]
    reply: Annotated[str, Field(max_length=2000)]
    reason: Annotated[str, Field(max_length=600)]


def finish_spec() -> ToolSpec:
    """Return the finish tool as it is offered."""
    return ToolSpec(
        name=FINISH,
        description=(
            "End the work on this ticket with your decision. Give actions only with the outcome "
            "resolve; each action is a proposal that a person approves or rejects later."
        ),
        parameters=parameters_of(FinishArguments),
    )


def read_finish(arguments: str, orders: Mapping[str, OrderFact]) -> Resolution:
    """Return the resolution that the arguments of a finish call hold.

    ``orders`` are those that tools returned in this run: an action on any other is refused.

    Raises:
        FinishRefused: with up to five faults in words.
    """
    try:
        value = parse_json(arguments)
        finish = FinishArguments.model_validate(value)
    except JsonRefused as error:
        raise FinishRefused(str(error)) from None
    except ValidationError as error:
        raise FinishRefused(problems_of(error)) from None
    _check_outcome(finish)
    actions = tuple(
        _action(number, flat, orders) for number, flat in enumerate(finish.actions, start=1)
    )
    _check_distinct(actions)
    return Resolution(
        outcome=finish.outcome,
        reply=finish.reply,
        reason=finish.reason,
        actions=actions,
        rule=finish.rule,
    )


def _check_outcome(finish: FinishArguments) -> None:
    if finish.outcome is Outcome.RESOLVE and not finish.actions:
        raise FinishRefused("the outcome resolve needs at least one action")
    if finish.outcome is not Outcome.RESOLVE and finish.actions:
        raise FinishRefused("only the outcome resolve may have actions")
    if finish.outcome is not Outcome.HAND_TO_PERSON and not finish.reply.strip():
        raise FinishRefused("reply: must hold the answer to the customer")


def _action(number: int, flat: FlatAction, orders: Mapping[str, OrderFact]) -> Action:
    place = f"action {number}"
    order = orders.get(flat.order_id)
    if order is None:
        raise FinishRefused(
            f"{place}: no tool has returned this order in this run; look it up first"
        )
    values = _values(place, flat, order)
    try:
        return action_from_dict(values)
    except ValidationError as error:
        raise FinishRefused(f"{place}: {problems_of(error)}") from None


def _values(place: str, flat: FlatAction, order: OrderFact) -> dict[str, Any]:
    """Return the strict action's own fields; a flat field that its tool does not use is a fault."""
    given = {
        name: value
        for name in ("sku", "quantity", "amount", "reason", "payment_id")
        if (value := getattr(flat, name)) is not None
    }
    values: dict[str, Any] = {"tool": flat.tool, "order_id": flat.order_id}
    if flat.tool == "request_refund":
        values |= _refund_values(place, given, order)
    return values | given


def _refund_values(place: str, given: dict[str, Any], order: OrderFact) -> dict[str, Any]:
    amount = given.pop("amount", None)
    if amount is None:
        raise FinishRefused(f"{place}: amount: a refund needs one")
    if order.currency is None:
        raise FinishRefused(f"{place}: the order's currency is not known; look the order up first")
    try:
        money = Money.of(amount, order.currency)
    except MoneyError:
        raise FinishRefused(f"{place}: the order's currency cannot be refunded in") from None
    if money.minor == 0:
        raise FinishRefused(f"{place}: amount: is zero in the currency's smallest unit")
    values = {"amount_minor": money.minor, "currency": money.currency}
    if "reason" in given:
        values["reason_code"] = given.pop("reason")
    return values


def _check_distinct(actions: tuple[Action, ...]) -> None:
    for number, action in enumerate(actions, start=1):
        if action in actions[: number - 1]:
            raise FinishRefused(
                f"action {number} is equal to an earlier one; for two of an item give quantity 2"
            )
