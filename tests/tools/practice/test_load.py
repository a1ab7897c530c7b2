"""Data folders: what a missing file means, and every fault with file, line and field."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tools import PRACTICE_TODAY, DataError, IdForm, IdForms, NotFound, PracticeShop

OLD_ITEMS = "order_id,product,quantity,unit_price\nLK-100001,compost bin,1,64.00\n"


def fault_of(folder: Path) -> str:
    """Return the message that building a shop from the folder ends with."""
    with pytest.raises(DataError) as refused:
        PracticeShop.from_folder(folder)
    return str(refused.value)


@pytest.mark.parametrize("name", ["orders.csv", "order_items.csv"])
def test_two_files_must_be_there(folder: Path, name: str) -> None:
    (folder / name).unlink()

    assert fault_of(folder) == f"{folder / name}: the data folder must have this file"


def test_a_folder_that_is_not_there_is_named(folder: Path) -> None:
    assert "there is no such folder" in fault_of(folder / "nowhere")


def test_everything_else_may_be_missing(folder: Path) -> None:
    for file in folder.iterdir():
        if file.name not in ("orders.csv", "order_items.csv"):
            file.unlink()
    (folder / "order_items.csv").write_text(OLD_ITEMS, "utf-8")

    with PracticeShop.from_folder(folder) as shop:
        view = shop.for_customer("C-10001")
        order = view.order("LK-100001")
        assert (order.lines[0].sku, order.lines[0].box) == (None, None)
        assert (order.lines[0].stock, order.lines[0].returnable) == (None, None)
        assert (*order.boxes, *order.refunds, *order.labels, *order.reshipments) == ()
        assert shop.calendar.holidays == ()
        assert view.payments("LK-100001").payments is None
        assert view.search_policy("return", PRACTICE_TODAY) == ()
        with pytest.raises(NotFound):
            view.past_ticket("T-50001")


def test_an_empty_payments_file_means_that_there_are_none(folder: Path) -> None:
    header = (folder / "payments.csv").read_text("utf-8").splitlines()[0]
    (folder / "payments.csv").write_text(header + "\n", "utf-8")

    with PracticeShop.from_folder(folder) as shop:
        assert shop.for_customer("C-10001").payments("LK-100001").payments == ()


def test_holidays_come_from_the_file(folder: Path) -> None:
    with PracticeShop.from_folder(folder) as shop:
        assert shop.calendar.holidays == (date(2026, 9, 7), date(2026, 10, 12))


def test_a_byte_order_mark_crlf_and_further_columns_are_fine(folder: Path) -> None:
    lines = (folder / "orders.csv").read_text("utf-8").splitlines()
    content = "\r\n".join([f"{lines[0]},extra", *(f"{line},x" for line in lines[1:]), "", ""])
    (folder / "orders.csv").write_bytes(b"\xef\xbb\xbf" + content.encode("utf-8"))

    with PracticeShop.from_folder(folder) as shop:
        assert shop.for_customer("C-10001").order("LK-100002").note == "Happy, birthday"


def test_other_forms_of_ids_are_a_setting(folder: Path) -> None:
    for file in folder.iterdir():
        file.write_text(file.read_text("utf-8").replace("LK-", "ORD"), "utf-8")

    assert "orders.csv, line 2, field order_id: must be LK- and 6 digits" in fault_of(folder)
    ids = IdForms(order=IdForm(r"ORD[0-9]{6}", "ORD and 6 digits"))
    with PracticeShop.from_folder(folder, ids=ids) as shop:
        assert shop.for_customer("C-10001").owns_order("ORD100001")


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        ("orders.csv", "2026-09-20", "20260920", "line 3, field ordered_on: must be a date"),
        ("orders.csv", "2026-09-20", "2026-02-30", "line 3, field ordered_on: must be a date"),
        ("orders.csv", "2026-09-20", "1989-01-01", "field ordered_on: must be a date between"),
        ("orders.csv", "2026-09-20", "", "line 3, field ordered_on: must be a date"),
        ("orders.csv", "149.00", "149,00", "line 3: has 11 fields where the header has 10"),
        ("orders.csv", "149.00", "-149.00", "line 3, field total: must be an amount"),
        ("orders.csv", "149.00", "1e3", "line 3, field total: must be an amount"),
        ("orders.csv", "149.00", "149.001", "field total: has more decimals than CAD has"),
        ("orders.csv", "5000,JPY", "50.5,JPY", "field total: has more decimals than JPY has"),
        ("orders.csv", "JPY", "yen", "line 5, field currency: a currency is three capital"),
        ("orders.csv", "delivered,2", "lost,2", "line 3, field status: must be one of: processing"),
        (
            "orders.csv",
            "LK-100002",
            "LK-100001",
            "line 3, field order_id: is the same as on line 2",
        ),
        ("orders.csv", "LK-100002", "LK-2", "line 3, field order_id: must be LK- and 6 digits"),
        ("orders.csv", "C-10002", "10002", "line 4, field customer_id: must be C- and 5 digits"),
        ("orders.csv", "customer_id,", "customer,", "line 1, field customer_id: the column is mis"),
        ("orders.csv", "note", "total", "line 1, field total: the column is there twice"),
        ("orders.csv", '"Happy, birthday"', '"Happy', "is not valid CSV"),
        ("order_items.csv", "LK-100003", "LK-999999", "line 5, field order_id: there is no such"),
        ("order_items.csv", "trowel,2", "trowel,0", "line 3, field quantity: must be at least 1"),
        ("order_items.csv", "trowel,2", "trowel,2.0", "field quantity: must be a whole number"),
        ("order_items.csv", "trowel,2", "trowel,99999999", "field quantity: must be a whole"),
        ("order_items.csv", "trowel,2", ",2", "line 3, field product: must not be empty"),
        ("order_items.csv", "132.00,1", "132.00,0", "line 4, field box: must be at least 1"),
        (
            "products.csv",
            "RUG-W,rug,5,1",
            "RUG-W,rug,5,yes",
            "field change_of_mind_return: must be",
        ),
        ("products.csv", "RUG-W,rug,5", "TROWEL,rug,5", "line 4, field sku: is the same as on li"),
        ("shipments.csv", "in_transit", "flying", "line 2, field status: must be one of: not_sh"),
        ("shipments.csv", "LK-100003,2", "LK-100003,1", "line 5, field box: is the same as on li"),
        ("shipments.csv", "SH-100003-2", "SH-100003-1", "line 5, field shipment_id: is the same"),
        ("payments.csv", "PAY-100001-1", "PAY-1", "line 2, field payment_id: must be PAY-, 6"),
        ("payments.csv", "LK-100003", "LK-999999", "line 6, field order_id: there is no such"),
        ("payments.csv", "PAY-100003-1", "PAY-100002-1", "field payment_id: is the same as on"),
        ("payments.csv", "285.00", "285.005", "field amount: has more decimals"),
        ("holidays.csv", "2026-10-12", "tomorrow", "line 2, field date: must be a date"),
        ("holidays.csv", "2026-10-12", "2026-09-07", "line 3, field date: is the same as on line"),
        ("refunds.csv", "149.00", "0.00", "line 2, field amount: must be above 0"),
        ("refunds.csv", "RFD-DOUBLE", "RFD-X", "line 2, field reason_code: must be one of: RFD"),
        ("refunds.csv", "seed-r2", "seed-r1", "line 3, field operation_id: is the same as on"),
        ("labels.csv", "change_of_mind", "whim", "line 2, field reason: must be one of: change"),
        ("reshipments.csv", "LK-100002", "LK-999999", "line 2, field order_id: there is no such"),
        ("past_tickets.csv", "T-50001", "50001", "line 2, field ticket_id: must be T- and 5"),
        ("past_tickets.csv", "T-50002", "T-50001", "line 3, field ticket_id: is the same as on"),
        ("policy_passages.jsonl", '"version":3', '"version":"3"', "line 1: version: Input should"),
        ("policy_passages.jsonl", '"P2"', '"P1"', "line 2, field passage_id: is the same as on"),
        ("policy_passages.jsonl", '"staff",', '"staff"', "line 4: is not valid: not valid JSON"),
        ("policy_passages.jsonl", '"access":"staff"', '"access":"all"', "line 4: access: Input"),
        ("policy_passages.jsonl", '"2026-10-10"', "20261010", "line 2: effective_from: must be a"),
        ("policy_passages.jsonl", '"2026-10-10"', '"soon"', "line 2: effective_from: must be a"),
    ],
)
def test_a_fault_is_one_message_with_file_line_and_field(
    folder: Path, name: str, old: str, new: str, fault: str
) -> None:
    content = (folder / name).read_text("utf-8")
    assert old in content
    (folder / name).write_text(content.replace(old, new, 1), "utf-8")

    message = fault_of(folder)

    assert message.startswith(str(folder / name))
    assert fault in message


def test_a_line_that_is_no_object_is_named(folder: Path) -> None:
    (folder / "policy_passages.jsonl").write_text("[]\n", "utf-8")

    assert fault_of(folder) == f"{folder}/policy_passages.jsonl, line 1: must be a JSON object"


def test_a_file_that_is_not_utf_8_is_named_with_its_line(folder: Path) -> None:
    content = (folder / "orders.csv").read_bytes().replace(b"Happy", b"H\xe4ppy")
    (folder / "orders.csv").write_bytes(content)

    assert fault_of(folder) == f"{folder}/orders.csv, line 3: is not UTF-8; save it as UTF-8"


def test_a_file_that_cannot_be_read_is_named(folder: Path) -> None:
    (folder / "holidays.csv").unlink()
    (folder / "holidays.csv").mkdir()

    assert fault_of(folder).startswith(f"{folder}/holidays.csv: is not a file")


def test_an_empty_file_has_no_columns(folder: Path) -> None:
    (folder / "orders.csv").write_text("", "utf-8")

    assert fault_of(folder) == f"{folder}/orders.csv, line 1, field order_id: the column is missing"


def test_a_row_of_several_lines_is_named_by_its_first(folder: Path) -> None:
    content = (folder / "orders.csv").read_text("utf-8")
    content = content.replace("Happy, birthday", "Happy\n\nbirthday").replace("5000,JPY", "x,JPY")
    (folder / "orders.csv").write_text(content, "utf-8")

    assert fault_of(folder).startswith(f"{folder}/orders.csv, line 7, field total")
