"""What the opening record says of a run that was made elsewhere."""

import pytest

from loop import Opened, RequestHead
from recordings.origin import (
    Label,
    Source,
    Unknown,
    label_of,
    origin_marks,
    source_of,
    unknown_of,
)

SOURCE = Source(format="tau-bench", file="runs.json", place="item 3", task="17", trial="0")
LABEL = Label(success=False, by="reward", scores={"reward": 0.0, "note": None})


def opened(**marks: object) -> Opened:
    """Return an opening record with these marks."""
    head = RequestHead(model="", tools=(), tool_choice=None, response_format=None, max_tokens=0)
    return Opened(
        ticket_id="17",
        customer_id="",
        text="",
        attachments=(),
        profile="imported",
        today="",
        head=head,
        limits={},
        marks=marks,
    )


def test_source_label_and_unknown_are_read_as_they_were_written() -> None:
    marks = origin_marks(SOURCE, LABEL, {Unknown.TIME, Unknown.COST})
    record = opened(**marks)

    assert (source_of(record), label_of(record)) == (SOURCE, LABEL)
    assert unknown_of(record) == {Unknown.TIME, Unknown.COST}


def test_a_run_of_ours_has_none_of_them() -> None:
    record = opened(match="strict")

    assert (source_of(record), label_of(record), unknown_of(record)) == (None, None, frozenset())


def test_a_source_that_says_nothing_of_worth_leaves_no_label() -> None:
    assert "label" not in origin_marks(SOURCE, None, ())


@pytest.mark.parametrize("marks", [{"source": 1, "label": [], "unknown": "time"}, {"unknown": [1]}])
def test_marks_of_another_form_say_nothing(marks: dict[str, object]) -> None:
    record = opened(**marks)

    assert (source_of(record), label_of(record), unknown_of(record)) == (None, None, frozenset())
