"""Cards in the browser: pressed by the wrong person, by the right one, twice, by two at once."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.desk import Desk, Window
from tests.scenarios.office import ANN, BEN, HED, LEA, OUT

Open = Callable[..., Window]


def test_a_ticket_gets_its_status_its_draft_and_no_card_without_a_change(window: Open) -> None:
    ann = window(ANN)

    ann.ticket("T-80008")

    expect(ann.thread).to_contain_text("Draft for T-80008")
    expect(ann.thread).to_contain_text("drafted; the draft is below")
    expect(ann.card).to_have_count(0)
    expect(ann.page.locator("#messages > li").last).to_contain_text("2 replies")


def test_the_wrong_person_is_told_why_and_the_right_one_is_done_once(
    desk: Desk, window: Open
) -> None:
    window(ANN).ticket("T-65273")
    ben, out, lea = window(BEN), window(OUT), window(LEA)
    for each in (ben, out, lea):
        each.open("T-65273")

    ben.approve()
    expect(ben.private.last).to_contain_text("100.00")
    out.approve()
    expect(out.private.last).to_contain_text("Only members of this workspace decide")
    assert desk.changes("T-65273") == 0

    lea.approve()
    for each in (ben, out, lea):
        expect(each.card).to_contain_text("Done")
        expect(each.card.get_by_role("button", name="Approve")).to_have_count(0)
    expect(lea.private).to_have_count(0)
    assert desk.changes("T-65273") == 1


def test_a_double_click_is_done_once_and_the_second_press_is_answered(
    desk: Desk, window: Open
) -> None:
    window(ANN).ticket("T-90101")
    ben = window(BEN)
    ben.open("T-90101")

    ben.card.get_by_role("button", name="Approve proposal").dblclick()

    expect(ben.card).to_contain_text("Done")
    expect(ben.private).to_have_count(1)
    assert desk.changes("T-90101") == 1


def test_a_rejection_needs_its_reason_and_the_card_keeps_it(desk: Desk, window: Open) -> None:
    window(ANN).ticket("T-90408")
    ben = window(BEN)
    ben.open("T-90408")

    ben.card.get_by_role("button", name="Reject").click()
    form = ben.page.get_by_role("dialog", name="Reject")
    field = form.get_by_label("Why?")
    expect(field).to_be_focused()
    form.get_by_role("button", name="Reject").click()
    expect(form).to_contain_text("Please complete this required field.")
    expect(field).to_be_focused()
    field.fill("The parcel <b>arrived</b> today")
    form.get_by_role("button", name="Reject").click()

    expect(ben.card).to_contain_text("Rejected")
    expect(ben.card).to_contain_text("The parcel <b>arrived</b> today")
    expect(form).to_have_count(0)
    assert desk.changes("T-90408") == 0


def test_an_amount_is_edited_after_the_app_refused_what_is_no_amount(
    desk: Desk, window: Open
) -> None:
    window(ANN).ticket("T-90701")
    lea = window(LEA)
    lea.open("T-90701")

    lea.card.get_by_role("button", name="Edit amount").click()
    form = lea.page.get_by_role("dialog", name="Edit amount")
    field = form.get_by_role("textbox")
    expect(field).to_have_value("108.00")
    field.fill("much")
    form.get_by_role("button", name="Save").click()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("much")
    field.fill("50.00")
    form.get_by_role("button", name="Save").click()

    expect(form).to_have_count(0)
    expect(lea.card).to_contain_text("Version 2, edited by a person")
    lea.approve()
    expect(lea.card).to_contain_text("Done")
    assert desk.changes("T-90701") == 1


def test_of_two_windows_that_press_at_once_one_counts_and_one_is_told(
    desk: Desk, window: Open
) -> None:
    window(ANN).ticket("T-90201")
    lea, hed = window(LEA), window(HED)
    before = [each for person in (LEA, HED) for each in desk.workspace.ephemerals(person)]
    questions = []
    for each in (lea, hed):
        each.open("T-90201")
        each.card.get_by_role("button", name="Approve proposal").click()
        questions.append(each.page.locator("dialog.confirm").get_by_role("button", name="Approve"))

    for question in questions:
        question.click(no_wait_after=True)

    for each in (lea, hed):
        expect(each.card).to_contain_text("Done")
    assert desk.changes("T-90201") == 1
    desk.office.rest()
    told = [each for person in (LEA, HED) for each in desk.workspace.ephemerals(person)]
    assert len(told) - len(before) == 1


def test_a_run_is_stopped_from_its_status(desk: Desk, window: Open) -> None:
    ann = window(ANN)
    with desk.brake.on():
        ann.ticket("T-80005")
        stop = ann.thread.get_by_role("button", name="Stop the run of ticket T-80005")
        stop.click()
        expect(ann.private.last).to_contain_text("Stopping.")

    expect(ann.thread).to_contain_text("No draft for T-80005")
    expect(ann.thread.get_by_role("button", name="Retry")).to_be_visible()


def test_a_reload_in_the_middle_shows_the_same_thread_and_goes_on(desk: Desk, window: Open) -> None:
    ann = window(ANN)
    with desk.brake.on():
        ann.ticket("T-90104")
        expect(ann.thread.get_by_role("button", name="Stop the run")).to_be_visible()
        ann.page.reload()
        expect(ann.page.locator("#acting")).to_have_value(ANN)
        expect(ann.thread.get_by_role("button", name="Stop the run")).to_be_visible()

    expect(ann.card).to_contain_text("9.95")
    ann.page.reload()
    expect(ann.card.get_by_role("button", name="Approve proposal")).to_be_visible()
