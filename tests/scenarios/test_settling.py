"""Saying what became of a change that is unknown: the word is about the change that was shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from approvals import (
    Done,
    Operation,
    Operations,
    OperationState,
    Proposal,
    Unknown,
    operations_of,
)
from approvals.store import changed, tx
from bot.slack.refs import ActionId, Field
from tests.scenarios.clicks import ANN, FEE, LEA, ClickDesk, open_desk
from tools import CreateReturnLabel, LabelReason

LABEL = CreateReturnLabel(order_id=FEE.order_id, sku="SHED", reason=LabelReason.DAMAGED)
FOUND = {Field.OUTCOME.value: "done", Field.REASON.value: "I asked the shop."}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ClickDesk]:
    """One process of the bot under the policy of the design."""
    with open_desk(tmp_path) as opened:
        yield opened


def approved(desk: ClickDesk) -> Proposal:
    """Let a lead approve two changes, of which the first becomes unknown."""
    proposal, card = desk.show(FEE, LABEL)
    desk.click(LEA, card)
    desk.bot.decide()
    become_unknown(desk, proposal)
    desk.work(execute=False)
    return proposal


def become_unknown(desk: ClickDesk, proposal: Proposal) -> None:
    """Take the next change up and lose sight of it."""
    operations = Operations(desk.policy)
    with tx(desk.db):
        following = operations.next_of(desk.db, proposal.proposal_id)
        assert following is not None
        claimed = operations.claim(
            desk.db, following.operation_id, owner="another", now_us=desk.now_us()
        )
        lost = Unknown(code="timeout", words="nobody can say")
        operations.settle(desk.db, claimed.claim, lost, now_us=desk.now_us())


def found(desk: ClickDesk, proposal: Proposal) -> list[Operation]:
    """Return the changes as they stand."""
    return list(operations_of(desk.db, proposal.proposal_id))


def test_a_person_says_what_became_of_the_change_that_the_form_shows(desk: ClickDesk) -> None:
    proposal = approved(desk)
    desk.click(LEA, desk.card(proposal), ActionId.SETTLE)
    desk.fill(LEA)

    desk.workspace.submit(LEA, FOUND)
    desk.work(execute=False)

    assert found(desk, proposal)[0].state is OperationState.DONE
    assert "is kept, with your reason" in desk.told(LEA)[-1]


def test_a_form_left_open_says_nothing_of_another_change(desk: ClickDesk) -> None:
    """While it was open the first was settled; the second is one whose attempt came to light."""
    proposal = approved(desk)
    desk.click(LEA, desk.card(proposal), ActionId.SETTLE)
    desk.fill(LEA)
    with tx(desk.db):
        first = found(desk, proposal)[0]
        done = Done(result={"refund_id": "RF-1"})
        Operations(desk.policy).resolve(desk.db, first.operation_id, done, now_us=desk.now_us())
        changed(desk.db, "UPDATE operations SET state = 'unknown' WHERE position = 2")

    desk.workspace.submit(LEA, FOUND)
    desk.work(execute=False)

    assert found(desk, proposal)[1].state is OperationState.UNKNOWN
    assert "is known by now" in desk.told(LEA)[-1]
    assert desk.told(ANN) == []
