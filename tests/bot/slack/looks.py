"""Values for the tests of what messages look like, and the SDK's own word on blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from slack_sdk.models.blocks import Block as SdkBlock
from slack_sdk.models.views import View as SdkView

from approvals import (
    ActionView,
    Amount,
    EffectMark,
    Operation,
    OperationState,
    Proposal,
    ProposalState,
    ProposalView,
    Signature,
)
from bot.slack.limits import message_faults, view_faults
from bot.slack.views import CallLine, CardView, Message
from bot.story import Figures
from tools import Action, CreateReturnLabel, Kind, LabelReason, Money, RefundReason, RequestRefund

AT_US = 1_791_500_000_000_000
EXPIRES_US = AT_US + 86_400_000_000
FIGURES = Figures(
    model_calls=3,
    tool_calls=2,
    tokens_in=1200,
    tokens_out=90,
    cost_usd=Decimal("0.0012"),
    cost="US$0.00120",
    cost_complete=True,
    seconds_us=4_200_000,
)
REFUND = RequestRefund(
    order_id="LK-1001",
    amount_minor=11_900,
    currency="CAD",
    reason_code=RefundReason.DAMAGE,
    sku="MUG-1",
    quantity=1,
)
LABEL = CreateReturnLabel(order_id="LK-1001", sku="MUG-1", reason=LabelReason.CHANGE_OF_MIND)
CALL = CallLine(
    name="get_order",
    arguments='{"order_id": "LK-1001"}',
    result=Kind.OK,
    code="ok",
    found='{"status": "delivered"}',
)
SIGNATURE = Signature(
    user_id="U0LEAD",
    role="team_lead",
    granted_by="U0LEAD",
    via="slack",
    second=False,
    digest="d",
    policy_version="v",
    why_digest=None,
    at_us=AT_US,
)
PROPOSAL = Proposal(
    proposal_id="P-7KM-4XQ",
    run_id="run-1",
    ticket_id="T-80008",
    customer_id="C-81265",
    rule="W5",
    version=1,
    actions=(REFUND,),
    worth=(REFUND.money,),
    digest="d",
    fingerprint="f",
    round=1,
    state=ProposalState.WAITING,
    cause=None,
    created_us=AT_US,
    expires_us=EXPIRES_US,
    warned_us=None,
    decided_by=None,
    decided_us=None,
    approved_seq=None,
    made_from=None,
    reopened_as=None,
    requesters=frozenset({"U0ASKER"}),
)


def operation(state: OperationState, action: Action = REFUND, **given: Any) -> Operation:
    """Return one operation in a state."""
    plain = Operation(
        operation_id="P-7KM-4XQ-1",
        proposal_id="P-7KM-4XQ",
        position=1,
        key="k",
        generation=1,
        effect="e",
        tool=action.tool,
        action=action,
        request=b"{}",
        request_sha256="0",
        gateway="practice",
        state=state,
        attempt=1,
        owner=None,
        first_attempt_us=AT_US,
        last_attempt_us=AT_US,
        next_at_us=AT_US,
        settled_us=AT_US,
        pending=False,
        result={"reference": "RF-0001"} if state is OperationState.DONE else None,
        error_code=None,
        error_words=None,
    )
    return replace(plain, **given)


def mark(**given: Any) -> EffectMark:
    """Return an earlier operation of the same effect."""
    plain = EffectMark(
        operation_id="P-222-222-1",
        proposal_id="P-222-222",
        ticket_id="T-70001",
        amount=Money(11_900, "CAD"),
        state=OperationState.DONE,
        at_us=AT_US,
        approved_by="U0LEAD",
    )
    return replace(plain, **given)


def action_view(action: Action = REFUND, **given: Any) -> ActionView:
    """Return one action as the card states it."""
    plain = ActionView(position=1, action=action, operation=None, marks=(), held=())
    return replace(plain, **given)


def card(
    state: ProposalState = ProposalState.WAITING,
    *,
    actions: Sequence[ActionView] = (),
    facts: dict[str, Any] | None = None,
    row: dict[str, Any] | None = None,
    **given: Any,
) -> CardView:
    """Return a card in a state; ``facts``, ``row`` and the rest replace what they name."""
    shown = tuple(actions) or (action_view(),)
    decided = {} if state is ProposalState.WAITING else {"decided_by": "U0LEAD"}
    changed: dict[str, Any] = {
        "state": state,
        "actions": tuple(each.action for each in shown),
        "decided_us": None if state is ProposalState.WAITING else AT_US,
        **decided,
        **(row or {}),
    }
    amount = Amount(known=Money(11_900, "CAD"), beyond=False)
    view = ProposalView(
        proposal=replace(PROPOSAL, **changed),
        actions=shown,
        own=amount,
        total=amount,
        needed_role="team_lead",
        signatures_needed=1,
        signatures=(),
        evidence=("get_order {}: delivered",),
        draft="We are sorry about the mug.",
        reasons=(),
        nothing_has_happened=state is ProposalState.WAITING,
        second_needed=any(each.marks for each in shown),
    )
    return CardView(facts=replace(view, **(facts or {})), model="chat-small", **given)


def texts(value: Any) -> Iterator[str]:
    """Yield every text that is shown in blocks: the ``text`` of every text object."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key == "text" and isinstance(each, str):
                yield each
            else:
                yield from texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts(each)


def shown(message: Message) -> str:
    """Return all that a message shows, a line for each text."""
    return "\n".join(texts(message.blocks))


def buttons(value: Any) -> dict[str, dict[str, Any]]:
    """Return the buttons of a message or a form by action id."""
    blocks = value.blocks if isinstance(value, Message) else value["blocks"]
    rows = [block["elements"] for block in blocks if block["type"] == "actions"]
    return {each["action_id"]: each for row in rows for each in row}


def assert_fits(message: Message) -> None:
    """Check a message by the SDK's models and by the totals that these leave out."""
    assert message_faults(message) == []
    for block in message.blocks:
        parsed = SdkBlock.parse(dict(block))
        assert parsed is not None
        parsed.validate_json()


def assert_view_fits(view: dict[str, Any]) -> None:
    """Check a form or App Home by the SDK's models and by the totals that these leave out."""
    assert view_faults(view) == []
    SdkView(**view).validate_json()
    for block in view["blocks"]:
        parsed = SdkBlock.parse(dict(block))
        assert parsed is not None
        parsed.validate_json()
