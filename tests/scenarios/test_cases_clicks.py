"""Cases of ``docs/slack_cases.md`` about cards, time and execution, on a clock that is set on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from approvals import ProposalState, audit_rows
from approvals.store import rows, tx
from bot.slack.refs import ActionId
from bot.slack.reminders import Reminders
from tests.scenarios.clicks import (
    ANN,
    ASKER,
    BOT,
    CHANNEL,
    DOUBLE,
    FEE,
    LEA,
    ClickDesk,
    action_ids,
    open_desk,
    shown,
)
from tools import Action, Gateway, GatewayTraits, Receipt, ShopTimeout

HOUR_S = 3_600


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ClickDesk]:
    """One process of the bot under the policy of the design."""
    with open_desk(tmp_path) as opened:
        yield opened


class Keyless:
    """A shop that pays again for a key that it has seen, and loses its first answer."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.sent: list[str] = []

    @property
    def traits(self) -> GatewayTraits:
        """Promises nothing about keys."""
        return replace(self.gateway.traits, honours_keys=False, key_lifetime_s=0)

    def prepare(self, action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
        """Return the shop's bytes."""
        return self.gateway.prepare(action, ticket_id=ticket_id, operation_id=operation_id, key=key)

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:
        """Pay; the first time nobody hears of it."""
        self.sent.append(key)
        receipt = self.gateway.send(tool, request, key, timeout_s=timeout_s)
        if len(self.sent) == 1:
            raise ShopTimeout("the answer was lost")
        return receipt

    def look_up(self, key: str, operation_id: str, action: Action) -> Receipt | None:
        """Return the shop's answer."""
        return self.gateway.look_up(key, operation_id, action)

    def poll(self, reference: str, action: Action) -> Receipt:
        """Return the shop's answer."""
        return self.gateway.poll(reference, action)


def test_case_17_what_runs_is_what_was_approved_whatever_a_later_run_asks_for(
    desk: ClickDesk,
) -> None:
    proposal, card = desk.show(FEE)
    desk.click(ANN, card)
    desk.bot.decide()

    other = desk.propose(FEE.model_copy(update={"amount_minor": 500}), run_id="run-2")
    desk.work()

    (change,) = desk.changes()
    assert change.operation_id.startswith(proposal.proposal_id)
    assert desk.again(proposal).actions == (FEE,)
    assert "9.95 CAD" in shown(desk.card(proposal))
    assert desk.again(other).state is ProposalState.WAITING


def test_case_28_an_expiry_is_told_as_an_expiry_and_not_as_a_rejection(desk: ClickDesk) -> None:
    proposal, _ = desk.show(FEE)
    desk.pass_time(48 * HOUR_S)
    with tx(desk.db):
        desk.proposals.expire_due(desk.db, now_us=desk.now_us())

    desk.work()

    card, said = shown(desk.card(proposal)), " ".join(map(shown, desk.thread()))
    assert "*Expired*" in card
    assert "nobody decided in time" in card
    assert "Rejected" not in card + said
    ended = audit_rows(desk.db)[-1]
    assert (ended.event, ended.who) == ("expired", "system")


def test_case_35_an_event_that_was_let_pass_does_not_hide_the_one_that_counts(
    desk: ClickDesk,
) -> None:
    text = f"<@{BOT}> T-80008 C-81265 Where is my shed?"
    event = {"user": ASKER, "channel": CHANNEL, "ts": "1790000100.000100", "text": text}

    def deliver(event_id: str, **given: object) -> list[str]:
        told = {"type": "event_callback", "event_id": event_id, "event": {**event, **given}}
        desk.workspace.deliver(told)
        desk.workspace.settle()
        found = rows(desk.db, "SELECT delivery_key FROM inbox ORDER BY seq")
        return [row["delivery_key"] for row in found]

    before = deliver("Ev0FIRST", type="message", hidden=True)
    after = deliver("Ev0SECOND", type="app_mention")

    assert "Ev0FIRST" not in before
    assert after == [*before, "Ev0SECOND"]


def test_case_77_a_shop_that_ignores_keys_is_called_once_all_the_same(tmp_path: Path) -> None:
    shops: list[Keyless] = []

    def keyless(own: Gateway) -> Gateway:
        shops.append(Keyless(own))
        return shops[0]

    with open_desk(tmp_path, gateway=keyless) as desk:
        proposal, card = desk.show(FEE)
        desk.click(ANN, card)
        desk.work()
        desk.restart()
        desk.click(ANN, card)
        for _ in range(20):
            desk.pass_time(60)
            desk.work()

        assert desk.again(proposal).state is ProposalState.DONE
        assert len(shops[0].sent) == 1
        assert "so your press did nothing" in desk.told(ANN)[0]


def test_a_thread_is_reminded_long_before_the_end_and_the_role_is_called_later(
    desk: ClickDesk,
) -> None:
    proposal, _ = desk.show(DOUBLE)

    def remind_at(hours_before: float) -> list[str]:
        left_s = (proposal.expires_us - desk.now_us()) / 1_000_000
        desk.pass_time(left_s - hours_before * HOUR_S)
        again = Reminders(20, policy=desk.policy, writer=desk.bot.writer, now_us=desk.now_us)
        again.step(desk.db)
        desk.warn()
        desk.work()
        return [shown(each) for each in desk.thread() if "still undecided" in shown(each)]

    assert remind_at(20.001) == []
    (first,) = remind_at(20)
    assert f"<@{LEA}>" not in first
    assert len(remind_at(4.001)) == 1
    (_, second) = remind_at(4)
    assert f"<@{LEA}>" in second
    assert len(remind_at(1)) == 2


@pytest.mark.parametrize(("hours", "reminded"), [(0, False), (47, False), (24, True)])
def test_a_thread_is_not_reminded_before_half_of_the_time_is_over(
    desk: ClickDesk, hours: int, reminded: bool
) -> None:
    proposal, _ = desk.show(FEE)
    half_s = (proposal.expires_us - proposal.created_us) / 2_000_000
    wait_s = half_s - (0.001 if hours == 47 else 0)
    desk.pass_time(wait_s - (desk.now_us() - proposal.created_us) / 1_000_000)

    again = Reminders(hours, policy=desk.policy, writer=desk.bot.writer, now_us=desk.now_us)
    again.step(desk.db)
    desk.work()

    assert any("still undecided" in shown(each) for each in desk.thread()) is reminded


def test_an_edit_is_told_in_the_thread_with_its_editor_and_the_new_amount(
    tmp_path: Path,
) -> None:
    with open_desk(tmp_path, two_people_above="50.00") as desk:
        proposal, card = desk.show(DOUBLE)
        desk.click(LEA, card)
        desk.work()

        desk.edit(LEA, desk.card(proposal), {"amount-1-CAD": "60.50"})
        desk.work()

        said = [shown(each) for each in desk.thread() if "edited by" in shown(each)]
        (line,) = [each for each in said if "signatures do not count" in each]
        assert f"<@{LEA}>" in line
        assert "60.50 CAD" in line
        assert ActionId.APPROVE in action_ids(desk.card(proposal))
