"""The tickets of a data folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools import (
    SHIPPED_DATA,
    DataError,
    Expected,
    Fault,
    FaultMode,
    Ticket,
    TicketCase,
    load_tickets,
)

TASK: dict[str, Any] = {
    "task_id": "T-90001",
    "customer_id": "C-10001",
    "text": "Where is it?",
    "attachments": ["a.jpg"],
    "slice": "simple",
    "source": "ours",
    "expected": {"outcome": "reply_only", "rule": "W1", "actions": [], "note": "Not late."},
    "acceptable_outcomes": ["hand_to_person"],
    "forbidden": [{"tool": "request_refund"}],
    "must_not_say": ["lifetime"],
    "faults": [{"tool": "get_order", "mode": "timeout", "times": 2}],
}


def write(folder: Path, *tasks: dict[str, Any]) -> None:
    """Write tasks.jsonl."""
    folder.joinpath("tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)), "utf-8")


def test_a_task_is_a_ticket_and_how_it_is_judged(tmp_path: Path) -> None:
    write(tmp_path, TASK)

    assert load_tickets(tmp_path) == (
        TicketCase(
            ticket=Ticket(
                ticket_id="T-90001",
                customer_id="C-10001",
                text="Where is it?",
                attachments=("a.jpg",),
            ),
            expected=Expected(outcome="reply_only", rule="W1", note="Not late."),
            slice="simple",
            source="ours",
            acceptable_outcomes=("hand_to_person",),
            forbidden=({"tool": "request_refund"},),
            must_not_say=("lifetime",),
            faults=(Fault("get_order", FaultMode.TIMEOUT, 2),),
        ),
    )


def test_most_of_a_task_may_be_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "task_id": "T-90001",
            "customer_id": "C-10001",
            "text": "",
            "expected": {"outcome": "hand_to_person", "rule": "H5", "actions": []},
        },
    )

    (case,) = load_tickets(tmp_path)

    assert case.expected.note is None
    assert (case.faults, case.forbidden, case.ticket.attachments) == ((), (), ())


def test_the_older_layout_is_read_where_there_are_no_tasks(tmp_path: Path) -> None:
    rows = (
        "ticket_id,customer_id,text,attachments,team,needs_human,style,source,needs_human_rule\n"
        'T-80006,C-67023,,"a.jpg; b.jpg",,true,empty,course,H5\n'
        "T-80008,C-81265,Where?,,delivery,false,plain,course,\n"
    )
    (tmp_path / "eval_tickets.csv").write_text(rows, "utf-8")

    first, second = load_tickets(tmp_path)

    assert first.ticket.attachments == ("a.jpg", "b.jpg")
    assert first.expected == Expected(rule="H5", needs_human=True)
    assert second.expected == Expected(team="delivery", needs_human=False)
    assert (second.slice, second.source) == ("plain", "course")
    write(tmp_path, TASK)
    assert [case.ticket.ticket_id for case in load_tickets(tmp_path)] == ["T-90001"]
    write(tmp_path)
    assert load_tickets(tmp_path) == ()


def test_a_folder_without_tickets_has_none(tmp_path: Path) -> None:
    assert load_tickets(tmp_path) == ()


def test_the_text_of_a_ticket_is_made_safe(tmp_path: Path) -> None:
    write(tmp_path, TASK | {"text": "a\u202eb" + "x" * 100_000})

    text = load_tickets(tmp_path)[0].ticket.text

    assert text.startswith("a\ufffdb")
    assert text.endswith("was cut.]")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"task_id": "90001"}, "tasks.jsonl, line 1, field task_id: must be T- and 5 digits"),
        ({"customer_id": "x"}, "line 1, field customer_id: must be C- and 5 digits"),
        ({"text": None}, "line 1: text: Input should be a valid string"),
        ({"expected": {}}, "line 1: expected.outcome: Field required"),
        ({"must_not_say": ["["]}, "line 1: must_not_say.0: must be a regular expression"),
        (
            {"faults": [{"tool": "get_order", "mode": "x"}]},
            "line 1: faults.0.mode: Input should be",
        ),
        ({"faults": [{"tool": "x", "mode": "timeout"}]}, "field faults: a fault names one of"),
    ],
)
def test_a_fault_in_a_task_is_named(tmp_path: Path, changes: dict[str, Any], fault: str) -> None:
    write(tmp_path, TASK | changes)

    with pytest.raises(DataError) as refused:
        load_tickets(tmp_path)

    assert fault in str(refused.value)


@pytest.mark.parametrize(
    ("facts", "fault"),
    [
        ({"order_id": "LK-1"}, "must name the tool of an action"),
        ({"tool": "get_order"}, "must name a tool that writes"),
        ({"tool": "request_refund", "amout": 5}, "must name fields of an action"),
        ({"tool": "request_refund", "amount": "NaN"}, "must state an amount in major units"),
        ({"tool": "request_refund", "amount": -1}, "must state an amount in major units"),
        ({"tool": "request_refund", "amount": [5]}, "must state an amount in major units"),
    ],
)
def test_an_action_that_no_run_can_meet_is_a_fault_of_the_label(
    tmp_path: Path, facts: dict[str, Any], fault: str
) -> None:
    write(tmp_path, TASK | {"expected": TASK["expected"] | {"actions": [facts]}})

    with pytest.raises(DataError) as refused:
        load_tickets(tmp_path)

    assert f"line 1: expected.actions.0: {fault}" in str(refused.value)


@pytest.mark.parametrize(("part", "readable"), [({}, False), ({"order_id": "LK-1"}, True)])
def test_a_forbidden_part_names_something_and_need_not_name_the_tool(
    tmp_path: Path, part: dict[str, Any], *, readable: bool
) -> None:
    """Nothing named would forbid every change."""
    write(tmp_path, TASK | {"forbidden": [part]})

    if readable:
        assert load_tickets(tmp_path)[0].forbidden == (part,)
    else:
        with pytest.raises(DataError, match="must name fields of an action"):
            load_tickets(tmp_path)


def test_a_ticket_is_there_once(tmp_path: Path) -> None:
    write(tmp_path, TASK, TASK)

    with pytest.raises(DataError, match=r"line 2: T-90001 is there twice"):
        load_tickets(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        load_tickets(tmp_path / "nowhere")


def test_the_shipped_tickets_load() -> None:
    cases = load_tickets(SHIPPED_DATA)

    assert len(cases) >= 40
    assert sum(1 for case in cases if case.faults) >= 8
