"""The forms of ids."""

from __future__ import annotations

import pytest

from tools import FormRefused, IdForm, IdForms

IDS = IdForms()


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("LK-581106", True),
        ("LK-55190", False),
        ("LK-5811067", False),
        ("lk-581106", False),
        ("LK-581106\n", False),
        (" LK-581106", False),
        ("LK-58110\u0666", False),
        ("", False),
    ],
)
def test_an_order_id_is_lk_and_six_digits(text: str, fits: bool) -> None:
    assert IDS.order.fits(text) is fits


def test_a_payment_id_ends_with_a_number_or_a() -> None:
    assert IDS.payment.fits("PAY-641876-2")
    assert IDS.payment.fits("PAY-641876-A")
    assert not IDS.payment.fits("PAY-641876-B")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("LK-581106, then (LK-581107). LK-581106!", ("LK-581106", "LK-581107")),
        ("_LK-581106_ and #LK-581107 and order-LK-581108", ("LK-581106", "LK-581107", "LK-581108")),
        ("XLK-581106 LK-5811067 LK-581106a \u00c9LK-581106", ()),
        ("LK-581106-b", ("LK-581106",)),
    ],
)
def test_ids_in_a_text_stand_alone_and_come_once_in_order(
    text: str, found: tuple[str, ...]
) -> None:
    assert IDS.find_orders(text) == found


def test_each_kind_of_id_is_found_by_its_own_form() -> None:
    text = "C-81265 paid PAY-581106-1 for LK-581106 (T-80008)"

    assert IDS.find_customers(text) == ("C-81265",)
    assert IDS.find_payments(text) == ("PAY-581106-1",)
    assert IDS.find_orders(text) == ("LK-581106",)


def test_another_shop_has_its_own_forms() -> None:
    ids = IdForms(order=IdForm(r"[0-9]{8}|W[0-9]{3}", "8 digits, or W and 3 digits"))

    assert ids.find_orders("12345678 W123 1234567") == ("12345678", "W123")
    assert not ids.order.fits("12345678W123")


def test_an_id_is_never_longer_than_64_characters() -> None:
    form = IdForm("x+", "some x")

    assert form.fits("x" * 64)
    assert not form.fits("x" * 65)


@pytest.mark.parametrize(
    ("pattern", "words", "reason"),
    [
        ("[", "a form", "not a regular expression"),
        ("x*", "a form", "empty text"),
        ("x" * 201, "a form", "longer than 200"),
        ("x", " ", "needs words"),
    ],
)
def test_a_form_that_cannot_work_is_refused(pattern: str, words: str, reason: str) -> None:
    with pytest.raises(FormRefused, match=reason):
        IdForm(pattern, words)
