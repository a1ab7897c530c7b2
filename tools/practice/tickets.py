"""The tickets of a data folder, with what is expected of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from tools.arguments import problems_of
from tools.errors import DataError, FaultRefused
from tools.faults import Fault, FaultMode
from tools.forms import IdForms
from tools.practice.labels import action_label, part_of_action
from tools.practice.layout import eval_tickets
from tools.practice.shop import PRACTICE_IDS
from tools.practice.tables import Row, read_csv, read_jsonl
from tools.tickets import Ticket

__all__ = ["Expected", "TicketCase", "load_tickets"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a ticket should come to. ``None`` is not stated.

    ``outcome``, ``rule``, ``actions`` and ``note`` come from ``tasks.jsonl``; ``team``,
    ``needs_human`` and the hand-over rule (as ``rule``) from ``eval_tickets.csv``.
    """

    outcome: str | None = None
    rule: str | None = None
    actions: tuple[Mapping[str, Any], ...] = ()
    note: str | None = None
    team: str | None = None
    needs_human: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketCase:
    """One ticket and how a run of it is judged."""

    ticket: Ticket
    expected: Expected
    slice: str | None = None
    source: str | None = None
    acceptable_outcomes: tuple[str, ...] = ()
    """Outcomes that are accepted beside the expected one."""
    forbidden: tuple[Mapping[str, Any], ...] = ()
    """Parts of actions; an action that holds one of them is wrong."""
    must_not_say: tuple[str, ...] = ()
    """Regular expressions that the reply must not match."""
    faults: tuple[Fault, ...] = ()


def load_tickets(folder: Path, ids: IdForms = PRACTICE_IDS) -> tuple[TicketCase, ...]:
    """Return the tickets of ``tasks.jsonl``, else those of ``eval_tickets.csv``, else none.

    Raises:
        DataError: the folder is missing or a line is malformed: file, line and field.
    """
    if not folder.is_dir():
        raise DataError(str(folder), "there is no such folder")
    tasks = read_jsonl(folder, "tasks.jsonl")
    if tasks is not None:
        cases = tuple((row, _from_task(row, ids)) for row in tasks)
    else:
        rows = read_csv(folder, "eval_tickets.csv", eval_tickets(ids)) or ()
        cases = tuple((row, _from_row(row)) for row in rows)
    _check_unique(cases)
    return tuple(case for _, case in cases)


def _regular_expression(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"must be a regular expression ({error.msg})") from None
    except (OverflowError, RecursionError):
        raise ValueError("must be a regular expression of an ordinary size") from None
    return text


class _Line(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class _ExpectedLine(_Line):
    outcome: str
    rule: str
    actions: list[Annotated[dict[str, Any], AfterValidator(action_label)]]
    note: str = ""


class _FaultLine(_Line):
    tool: str
    mode: Annotated[FaultMode, Field(strict=False)]
    times: int = 1


class _TaskLine(_Line):
    """One line of tasks.jsonl. Further keys are not read."""

    task_id: str
    customer_id: str
    text: str
    attachments: list[str] = []
    slice: str | None = None
    source: str | None = None
    expected: _ExpectedLine
    acceptable_outcomes: list[str] = []
    forbidden: list[Annotated[dict[str, Any], AfterValidator(part_of_action)]] = []
    must_not_say: list[Annotated[str, AfterValidator(_regular_expression)]] = []
    faults: list[_FaultLine] = []


def _from_task(row: Row, ids: IdForms) -> TicketCase:
    try:
        task = _TaskLine.model_validate(row.values)
    except ValidationError as error:
        raise DataError(row.file, problems_of(error), line=row.line) from None
    for name, form in (("task_id", ids.ticket), ("customer_id", ids.customer)):
        if not form.fits(row[name]):
            raise row.fault(name, f"must be {form.words}")
    try:
        faults = tuple(Fault(fault.tool, fault.mode, fault.times) for fault in task.faults)
    except FaultRefused as error:
        raise row.fault("faults", str(error)) from None
    expected = task.expected
    return TicketCase(
        ticket=Ticket.of(
            ticket_id=task.task_id,
            customer_id=task.customer_id,
            text=task.text,
            attachments=tuple(task.attachments),
        ),
        expected=Expected(
            outcome=expected.outcome,
            rule=expected.rule,
            actions=tuple(expected.actions),
            note=expected.note or None,
        ),
        slice=task.slice,
        source=task.source,
        acceptable_outcomes=tuple(task.acceptable_outcomes),
        forbidden=tuple(task.forbidden),
        must_not_say=tuple(task.must_not_say),
        faults=faults,
    )


SEPARATOR: Final = ";"
"""Between attachment names in ``eval_tickets.csv``."""


def _from_row(row: Row) -> TicketCase:
    names = (name.strip() for name in row["attachments"].split(SEPARATOR))
    return TicketCase(
        ticket=Ticket.of(
            ticket_id=row["ticket_id"],
            customer_id=row["customer_id"],
            text=row["text"],
            attachments=tuple(name for name in names if name),
        ),
        expected=Expected(
            rule=row["needs_human_rule"], team=row["team"], needs_human=row["needs_human"]
        ),
        slice=row["style"],
        source=row["source"],
    )


def _check_unique(cases: tuple[tuple[Row, TicketCase], ...]) -> None:
    seen: set[str] = set()
    for row, case in cases:
        ticket_id = case.ticket.ticket_id
        if ticket_id in seen:
            raise DataError(row.file, f"{ticket_id} is there twice", line=row.line)
        seen.add(ticket_id)
