"""A restored store: everything is looked up before anything is sent, whatever shop it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from approvals import (
    APPROVAL_MIGRATIONS,
    Actor,
    LookUpsDue,
    Operations,
    OperationState,
    ProposalState,
    begin_epoch,
    look_ups_due,
    read_epoch,
    runs_of_proposal,
    verify_audit,
)
from approvals.backup import restore_store
from approvals.store import JOB_MIGRATIONS, connect, copy_into, migrate, rows, tx
from tests.approvals.desk import label, late_fee, reship
from tests.approvals.execution_desk import POLICY, Desk, practice_desk
from tools import (
    SHIPPED_DATA,
    Fault,
    FaultyGateway,
    Gateway,
    GatewayTraits,
    PracticeGateway,
    Receipt,
    ShopUnavailable,
)

OPERATOR = Actor(who="system", via="command line me@here")
FEE = late_fee("9.95", "LK-793996")
FEE_OWNER, ITEM_OWNER = "C-61975", "C-50533"
SETS = (JOB_MIGRATIONS, APPROVAL_MIGRATIONS)


class Away:
    """A gateway that cannot be asked."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self.prepare = gateway.prepare
        self.send = gateway.send
        self.poll = gateway.poll

    @property
    def traits(self) -> GatewayTraits:
        return self._gateway.traits

    def look_up(self, *_: object) -> Receipt | None:
        raise ShopUnavailable("the shop is away")


class Forgetful(Away):
    """A gateway that does not honour keys, and whose look-ups prove nothing."""

    @property
    def traits(self) -> GatewayTraits:
        return replace(super().traits, honours_keys=False, absence_provable=False)

    def look_up(self, *_: object) -> Receipt | None:
        return None


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Desk, PracticeGateway]]:
    """A desk before the practice shop, and the shop's gateway."""
    with practice_desk(tmp_path / "handrail.db", SHIPPED_DATA) as found:
        yield found


def begin(desk: Desk) -> int:
    """Begin an epoch as a restore does; return the look-ups that are due."""
    with tx(desk.db):
        return begin_epoch(desk.db, POLICY, actor=OPERATOR, now_us=desk.clock()).look_ups


def test_a_new_store_is_in_its_first_epoch(both: tuple[Desk, PracticeGateway]) -> None:
    epoch = read_epoch(both[0].db)

    assert (epoch.number, epoch.began_us, epoch.look_ups) == (1, None, 0)


def test_nothing_is_claimed_before_all_was_looked_up(both: tuple[Desk, PracticeGateway]) -> None:
    desk, gateway = both
    old = desk.approve(FEE, customer=FEE_OWNER)
    assert begin(desk) == 1
    new = desk.approve(label(), customer=ITEM_OWNER, ticket="T-2")
    (operation,) = desk.operations(new)

    with pytest.raises(LookUpsDue, match="1 of its operations"), tx(desk.db):
        Operations(POLICY).claim(desk.db, operation.operation_id, owner="me", now_us=desk.clock())

    again = desk.executor(gateway=Away(gateway)).execute(desk.db, new)
    assert again is not None
    assert again > desk.clock()
    assert gateway.changes() == ()
    assert [each.proposal_id for each in look_ups_due(desk.db)] == [old]


def test_what_was_done_after_the_backup_is_found(both: tuple[Desk, PracticeGateway]) -> None:
    desk, gateway = both
    old = desk.approve(FEE, customer=FEE_OWNER)
    send_behind_the_store(desk, gateway, old)
    begin(desk)
    desk.finish(desk.executor(owner="process-2"), old)

    assert desk.proposal(old).state is ProposalState.DONE
    assert len(gateway.changes()) == 1
    assert look_ups_due(desk.db) == []
    verify_audit(desk.db)


def test_what_was_not_done_goes_on_with_its_old_key(both: tuple[Desk, PracticeGateway]) -> None:
    desk, gateway = both
    old = desk.approve(FEE, customer=FEE_OWNER)
    key = desk.operation(old).key
    begin(desk)
    desk.finish(desk.executor(), old)

    assert desk.proposal(old).state is ProposalState.DONE
    assert desk.operation(old).key == key
    assert desk.operation(old).attempt == 2
    assert len(gateway.changes()) == 1


def test_before_a_shop_that_can_prove_nothing_it_ends_with_a_person(
    both: tuple[Desk, PracticeGateway],
) -> None:
    """It was ready in the backup, so the row alone would call it never sent."""
    desk, gateway = both
    old = desk.approve(FEE, customer=FEE_OWNER)
    send_behind_the_store(desk, gateway, old)
    begin(desk)
    desk.finish(desk.executor(gateway=Forgetful(gateway)), old)

    assert desk.proposal(old).state is ProposalState.UNKNOWN
    assert len(gateway.changes()) == 1


def test_an_approval_that_is_over_by_then_is_not_sent(
    both: tuple[Desk, PracticeGateway],
) -> None:
    desk, gateway = both
    old = desk.approve(FEE, customer=FEE_OWNER)
    desk.clock.move(100 * 3600)
    begin(desk)
    desk.executor().reconcile(desk.db, adopt=True)
    desk.clock.move(3600)
    desk.executor().reconcile(desk.db, adopt=True)

    assert gateway.changes() == ()
    assert desk.proposal(old).state is ProposalState.FAILED
    assert desk.operation(old).error_words == "nothing was done: the shop does not hold it"


def test_a_gateway_that_is_gone_holds_up_nobody_else(both: tuple[Desk, PracticeGateway]) -> None:
    desk, gateway = both
    old = desk.approve(FEE, customer=FEE_OWNER)
    with tx(desk.db):
        desk.db.execute("UPDATE operations SET gateway = 'gone'")
    begin(desk)
    new = desk.approve(label(), customer=ITEM_OWNER, ticket="T-2")
    desk.finish(desk.executor(), new)

    assert desk.proposal(old).state is ProposalState.UNKNOWN
    assert desk.proposal(new).state is ProposalState.DONE
    assert len(gateway.changes()) == 1


def test_an_action_behind_one_that_is_not_done_is_looked_up_and_keeps_its_turn(
    both: tuple[Desk, PracticeGateway],
) -> None:
    desk, gateway = both
    old = desk.approve(reship(), label(), customer=ITEM_OWNER)
    assert begin(desk) == 2
    faulty = FaultyGateway(gateway, [Fault.parse("reship_item:timeout_after_write")])
    desk.finish(desk.executor(gateway=faulty), old)

    assert [each.state for each in desk.operations(old)] == [OperationState.DONE] * 2
    assert [change.tool for change in gateway.changes()] == ["reship_item", "create_return_label"]


def test_an_unknown_one_stays_unknown_unless_the_shop_holds_it(
    both: tuple[Desk, PracticeGateway],
) -> None:
    desk, gateway = both
    old = desk.approve(FEE, customer=FEE_OWNER)
    with tx(desk.db):
        desk.db.execute(
            "UPDATE operations SET state = 'unknown', attempt = 1, first_attempt_us = 1,"
            " last_attempt_us = 1"
        )
        desk.db.execute("UPDATE proposals SET state = 'unknown'")
    begin(desk)
    desk.executor().reconcile(desk.db, adopt=True)
    still = desk.operation(old).state
    send_behind_the_store(desk, gateway, old)
    begin(desk)
    desk.executor().reconcile(desk.db, adopt=True)

    assert still is OperationState.UNKNOWN
    assert desk.operation(old).state is OperationState.DONE
    assert read_epoch(desk.db).number == 3


def test_what_has_ended_is_left_alone(both: tuple[Desk, PracticeGateway]) -> None:
    desk, _ = both
    old = desk.approve(FEE, customer=FEE_OWNER)
    desk.finish(desk.executor(), old)
    before = desk.operation(old)

    assert begin(desk) == 0
    assert desk.operation(old) == before


def test_a_backup_of_an_older_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    store, backup = tmp_path / "new.db", tmp_path / "old.db"
    older = replace(APPROVAL_MIGRATIONS, migrations=APPROVAL_MIGRATIONS.migrations[:1])
    with closing(connect(tmp_path / "source.db")) as db:
        migrate(db, (JOB_MIGRATIONS, older))
        copy_into(db, backup)
    restored = restore_store(
        store, backup, sets=SETS, policy=POLICY, actor=OPERATOR, now_us=1_790_000_000_000_000
    )

    assert restored.epoch.number == 2
    assert restored.aside is None
    with closing(connect(store)) as db:
        assert migrate(db, SETS) == []


def test_data_of_the_first_schema_survive_the_next(tmp_path: Path) -> None:
    """What the first schema held is there, decided and carried out after the upgrade."""
    older = replace(APPROVAL_MIGRATIONS, migrations=APPROVAL_MIGRATIONS.migrations[:1])
    with closing(connect(tmp_path / "handrail.db")) as db:
        migrate(db, (JOB_MIGRATIONS, older))
        with tx(db):
            db.execute(OLD_PROPOSAL)
        before = rows(db, "SELECT * FROM proposals")
        applied = migrate(db, SETS)

        assert [str(each) for each in applied] == [
            "approvals 2 (epochs of restored backups)",
            "approvals 3 (runs that a proposal stands for)",
            "approvals 4 (an index for each search of proposals)",
        ]
        assert runs_of_proposal(db, "P-222-222") == ["run"]
        assert rows(db, "SELECT * FROM proposals") == before
        assert read_epoch(db).number == 1


OLD_PROPOSAL = """
INSERT INTO proposals (proposal_id, run_id, ticket_id, customer_id, version, actions, worth, digest,
    fingerprint, round, state, created_us, expires_us)
VALUES ('P-222-222', 'run', 'T-1', 'C-1', 1, '[]', '[]', 'd', 'f', 1, 'waiting', 1, 2)
"""


def send_behind_the_store(desk: Desk, gateway: PracticeGateway, proposal_id: str) -> None:
    """Do at the shop what the lost store had done."""
    for each in desk.operations(proposal_id):
        gateway.send(each.tool, each.request, each.key, timeout_s=1)
