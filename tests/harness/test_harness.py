"""The harness kills where it says, keeps what happened, and is not blind to what is wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from approvals.store import connect, rows
from tests.approvals.execution_desk import practice_desk
from tests.harness.effects import EffectLog, read_effects
from tests.harness.processes import result, start
from tests.harness.stock import actions, customer, order, write_stock
from tests.harness.truth import Truth, told_apart

DYING = """
import sys
from pathlib import Path
from approvals.store import connect, tx
from tests.harness.boundaries import Boundaries, die
from tests.harness.effects import EffectLog
from tests.harness.lives import KILLED, live

path, log, where = Path(sys.argv[1]), EffectLog(Path(sys.argv[2])), sys.argv[3]

def life():
    committed = False
    def met(count, name):
        nonlocal committed
        if name == where or (committed and where == "behind COMMIT"):
            log.add(killed_at=name)
            die()
        committed = name == "COMMIT"
    Boundaries(met).watch_store()
    with connect(path) as db, tx(db):
        db.execute("CREATE TABLE item (n INTEGER) STRICT")
        db.execute("INSERT INTO item (n) VALUES (1)")
        log.add(inserted=True)
    log.add(told=True)

print(live(life) == KILLED)
"""


@pytest.mark.parametrize(
    ("where", "killed_at", "inserted", "tables"),
    [
        ("open", "open", False, []),
        ("INSERT INTO item", "INSERT INTO item", False, []),
        ("COMMIT", "COMMIT", True, []),
        ("behind COMMIT", "PRAGMA query_only=ON", True, [{"name": "item"}]),
    ],
)
def test_a_life_ends_before_the_statement_of_its_boundary_and_the_log_stays(
    tmp_path: Path, where: str, killed_at: str, inserted: bool, tables: list[dict[str, str]]
) -> None:
    store, log = tmp_path / "store.db", tmp_path / "log.jsonl"
    with connect(store):
        pass

    assert result(start(DYING, store, log, where)) == "True"

    expected = [{"inserted": True}] * inserted + [{"killed_at": killed_at}]
    assert read_effects(log) == expected
    with connect(store) as db:
        assert rows(db, "SELECT name FROM sqlite_master") == tables


def test_a_log_that_nobody_wrote_is_empty(tmp_path: Path) -> None:
    assert read_effects(tmp_path / "log.jsonl") == []


FEE = {"operation": "{}-1", "order": order(0), "tool": "request_refund"}
LABEL = {"operation": "{}-2", "order": order(0), "tool": "create_return_label"}


@pytest.mark.parametrize(
    ("effects", "wrong"),
    [
        ([FEE, LABEL], {}),
        ([FEE, LABEL, LABEL], {"doubles": 2}),
        ([FEE, LABEL, LABEL | {"operation": "P-other-1"}], {"doubles": 1, "unasked": 1}),
        ([FEE], {"untrue": 1}),
    ],
    ids=["right", "twice under a key", "twice under two keys", "done without a write"],
)
def test_the_truth_is_good_where_each_action_was_written_once_and_nowhere_else(
    tmp_path: Path, effects: list[dict[str, Any]], wrong: dict[str, int]
) -> None:
    write_stock(tmp_path / "stock", 1)
    told = EffectLog(tmp_path / "told.jsonl")
    with practice_desk(tmp_path / "store.db", tmp_path / "stock") as (desk, _):
        proposal_id = desk.approve(*actions(0, 2), customer=customer(0))
        told.add(approved=proposal_id)
        desk.finish(desk.executor(), proposal_id)
        written = [line | {"operation": line["operation"].format(proposal_id)} for line in effects]
        found = told_apart(desk.db, written, tmp_path / "told.jsonl")

    names = ("doubles", "lost", "untrue", "unknown", "unasked")
    assert {name: found[name] for name in names if found[name]} == wrong
    assert Truth.read(found, Counter(server=1)).is_good is (not wrong)


def test_an_acknowledged_approval_that_comes_to_no_end_is_lost(tmp_path: Path) -> None:
    write_stock(tmp_path / "stock", 1)
    told = EffectLog(tmp_path / "told.jsonl")
    with practice_desk(tmp_path / "store.db", tmp_path / "stock") as (desk, _):
        told.add(approved=desk.approve(*actions(0, 1), customer=customer(0)))

        found = told_apart(desk.db, [], tmp_path / "told.jsonl")

    assert found["lost"] == 1
    assert not Truth.read(found, Counter()).is_good
