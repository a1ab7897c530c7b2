"""A practice shop that lasts: built once, kept while anything was changed in it."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import pytest

from tools import (
    PRACTICE_TODAY,
    Change,
    DataError,
    NotFound,
    PracticeGateway,
    RefundReason,
    RequestRefund,
    build_lasting,
    open_lasting,
    open_view,
)

FEE = RequestRefund(
    order_id="LK-100001", amount_minor=995, currency="CAD", reason_code=RefundReason.LATE
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "shop.sqlite3"


def refund(path: Path) -> None:
    with PracticeGateway(path, today=lambda: PRACTICE_TODAY) as gateway:
        request = gateway.prepare(FEE, ticket_id="T-1", operation_id="op", key="key")
        gateway.send(FEE.tool, request, "key", timeout_s=1)


def changes(path: Path) -> tuple[Change, ...]:
    with PracticeGateway(path, today=lambda: PRACTICE_TODAY) as gateway:
        return gateway.changes()


def sell_out(folder: Path) -> None:
    products = folder / "products.csv"
    products.write_text(products.read_text("utf-8").replace("bin,5,1", "bin,0,1"), "utf-8")


def stock(path: Path, folder: Path | None) -> int | None:
    with closing(open_lasting(path, folder)) as shop:
        return open_view(shop, "C-10001").order("LK-100001").lines[0].stock


def test_it_is_built_once_private_and_keeps_its_changes(path: Path, folder: Path) -> None:
    open_lasting(path, folder).close()
    refund(path)
    open_lasting(path, folder).close()

    assert path.stat().st_mode & 0o777 == 0o600
    assert [change.order_id for change in changes(path)] == ["LK-100001"]


def test_it_follows_its_data_while_nothing_was_changed(path: Path, folder: Path) -> None:
    before = stock(path, folder)
    sell_out(folder)

    assert (before, stock(path, None), stock(path, folder)) == (5, 5, 0)


def test_changes_are_not_thrown_away_for_other_data(path: Path, folder: Path) -> None:
    open_lasting(path, folder).close()
    refund(path)
    sell_out(folder)

    with pytest.raises(DataError, match="holds changes"):
        open_lasting(path, folder)
    assert stock(path, None) == 5
    assert len(changes(path)) == 1


def test_it_is_built_anew_when_asked_to(path: Path, folder: Path) -> None:
    open_lasting(path, folder).close()
    refund(path)
    sell_out(folder)
    build_lasting(path, folder)

    assert changes(path) == ()
    assert stock(path, folder) == 0


def test_without_data_of_its_own_it_is_the_one_that_ships(path: Path) -> None:
    with closing(open_lasting(path)) as shop:
        with pytest.raises(NotFound):
            open_view(shop, "C-10001").order("LK-100001")
        assert open_view(shop, "C-61975").owns_order("LK-793996")


def test_bad_data_leave_no_file_and_no_remains(path: Path, folder: Path) -> None:
    (folder / "orders.csv").write_text("order_id\n", "utf-8")

    with pytest.raises(DataError, match=r"orders\.csv"):
        open_lasting(path, folder)
    assert [file.name for file in path.parent.iterdir()] == ["data"]


def test_a_folder_that_cannot_be_written_is_said_in_words(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(DataError, match="cannot be made"):
        open_lasting(tmp_path / "nowhere" / "shop.sqlite3", folder)


def test_many_that_build_it_at_once_get_one_shop(path: Path, folder: Path) -> None:
    gate = threading.Barrier(8)
    found: list[int | None] = []

    def one() -> None:
        gate.wait(30)
        found.append(stock(path, folder))

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [5] * 8
    assert sorted(file.name for file in path.parent.iterdir()) == ["data", "shop.sqlite3"]
