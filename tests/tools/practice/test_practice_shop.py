"""The practice shop: one file, one read-only connection for each thread."""

from __future__ import annotations

import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from tools import (
    PRACTICE_TODAY,
    DataError,
    NotFound,
    NotYours,
    PracticeShop,
    Shop,
    ShopUnavailable,
)
from tools.practice.database import connect
from tools.practice.policy import words_of
from tools.practice.pool import Readers


def test_it_is_a_shop_with_views_of_one_customer(shop: PracticeShop) -> None:
    as_shop: Shop = shop
    view = as_shop.for_customer("C-10001")

    assert view.order("LK-100001").customer_id == "C-10001"
    assert view.owns_order("LK-100001")
    assert not view.owns_order("LK-100003")
    assert not view.owns_order("LK-999999")
    with pytest.raises(NotYours):
        view.order("LK-100003")
    with pytest.raises(NotYours):
        view.payments("LK-100003")
    with pytest.raises(NotYours):
        view.past_ticket("T-50002")
    with pytest.raises(NotFound):
        view.order("LK-999999")


def test_a_file_can_be_kept_and_opened_again(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    PracticeShop.from_folder(folder, path=path).close()

    with PracticeShop(path) as again:
        assert again.for_customer("C-10001").order("LK-100001").total.amount_text == "73.95"
    assert path.is_file()


def test_a_temporary_file_goes_with_the_shop(folder: Path) -> None:
    shop = PracticeShop.from_folder(folder)
    assert shop.path.is_file()

    shop.close()
    shop.close()

    assert not shop.path.parent.exists()


def test_a_shop_is_not_built_over_another(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    PracticeShop.from_folder(folder, path=path).close()

    with pytest.raises(DataError, match="cannot be made: table about already exists"):
        PracticeShop.from_folder(folder, path=path)


@pytest.mark.parametrize("content", [b"", b"something else entirely, and long enough " * 9])
def test_a_file_that_is_no_shop_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(content)

    with pytest.raises(DataError, match="is not a practice shop"):
        PracticeShop(path)


def test_a_missing_file_is_refused_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such practice shop"):
        PracticeShop(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


def test_a_reading_connection_cannot_write(shop: PracticeShop) -> None:
    with closing(connect(shop.path, read_only=True)) as db, pytest.raises(sqlite3.Error):
        db.execute("DELETE FROM refunds")


def test_a_view_has_no_connection_that_can_write(shop: PracticeShop) -> None:
    readers = Readers(shop.path)

    with pytest.raises(ShopUnavailable, match="readonly"), readers.reading() as db:
        db.execute("DELETE FROM refunds")
    readers.close()


def test_a_closed_shop_is_unavailable(folder: Path) -> None:
    shop = PracticeShop.from_folder(folder)
    view = shop.for_customer("C-10001")
    shop.close()

    with pytest.raises(ShopUnavailable, match="was closed"):
        view.order("LK-100001")


def test_a_file_that_breaks_is_unavailable_and_says_so(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    PracticeShop.from_folder(folder, path=path).close()
    with closing(connect(path, read_only=False)) as db:
        db.execute("DROP TABLE boxes")

    with PracticeShop(path) as shop, pytest.raises(ShopUnavailable, match="no such table: boxes"):
        shop.for_customer("C-10001").order("LK-100001")


def test_what_another_connection_writes_is_seen(shop: PracticeShop) -> None:
    view = shop.for_customer("C-10001")
    assert view.order("LK-100001").labels == ()

    with closing(connect(shop.path, read_only=False)) as db:
        insert = "INSERT INTO labels VALUES ('op', 'LK-100001', 'X', 'damaged', 0, '2026-10-09')"
        db.execute(insert)

    assert [label.operation_id for label in view.order("LK-100001").labels] == ["op"]


def test_an_operation_id_is_there_once(shop: PracticeShop) -> None:
    insert = "INSERT INTO labels VALUES ('seed-l1', 'LK-100001', 'X', 'damaged', 0, '2026-10-09')"

    with closing(connect(shop.path, read_only=False)) as db, pytest.raises(sqlite3.IntegrityError):
        db.execute(insert)


def test_many_threads_read_at_once(shop: PracticeShop) -> None:
    view = shop.for_customer("C-10001")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: view.order("LK-100002").total.minor, range(400)))

    assert set(found) == {14900}


def test_a_thread_has_its_own_connection(shop: PracticeShop) -> None:
    readers = Readers(shop.path)
    seen: list[sqlite3.Connection] = []

    def use() -> None:
        with readers.reading() as first:
            seen.append(first)
        with readers.reading() as second:
            assert second is first

    use()
    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    readers.close()

    assert seen[0] is not seen[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_connection_is_not_carried_over_a_fork(shop: PracticeShop) -> None:
    readers = Readers(shop.path)
    with readers.reading() as before:
        pass
    child = os.fork()
    if child == 0:
        with readers.reading() as after:
            other = after is not before
        readers.close()
        os._exit(0 if other else 1)

    assert os.waitpid(child, 0)[1] == 0
    with readers.reading() as again:
        assert again is before
    readers.close()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("of a", ()),
        ("Hose-reel, WARRANTY of a hose", ("hose", "reel", "warranty")),
        ('" OR NEAR( *', ("near",)),
        ("d\u00e9lai snake_case", ("d\u00e9lai", "snake", "case")),
    ],
)
def test_words_of_a_query(query: str, words: tuple[str, ...]) -> None:
    assert words_of(query) == words


@pytest.mark.parametrize(
    "query", ['"', "NOT AND OR", "text:return*", "a^b", "return\x00", "\ud800xx"]
)
def test_no_query_is_an_operator(shop: PracticeShop, query: str) -> None:
    found = shop.for_customer("C-10001").search_policy(query, PRACTICE_TODAY)

    assert {passage.passage_id for passage in found} <= {"P1"}


@pytest.mark.parametrize(
    ("on", "found"),
    [
        (date(2024, 12, 31), []),
        (date(2025, 1, 1), ["P1"]),
        (date(2026, 10, 9), ["P1"]),
        (date(2026, 10, 10), ["P2"]),
        (date(2100, 1, 1), ["P2"]),
    ],
)
def test_a_passage_is_in_force_from_its_first_to_its_last_day(
    shop: PracticeShop, on: date, found: list[str]
) -> None:
    passages = shop.for_customer("C-10001").search_policy("returns", on)

    assert [passage.passage_id for passage in passages] == found
