"""Recording lines of the reference systems."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from loop import PRICES, CostState, Failed, Replied
from recordings import Recording, RecordingUnreadable, Unknown, read_recordings
from tests.recordings.importers.bringing import bring, write_lines


def line(**changes: Any) -> dict[str, Any]:
    """Return a line as the reference systems write it."""
    return {
        "at": "2026-10-08T22:20:57-04:00",
        "key": "672db9cbb3b4e397",
        "label": {"model": "chat-small", "step": 1, "ticket_id": "T-1", "tools": True},
        "latency_s": 1.5,
        "response": {
            "model": "some-deployment",
            "choices": [
                {
                    "finish_reason": "tool_calls",
                    "message": {
                        "content": None,
                        "refusal": None,
                        "tool_calls": [
                            {"id": "c1", "function": {"name": "get_order", "arguments": "{}"}}
                        ],
                    },
                }
            ],
            "usage": {
                "prompt_tokens": 2000,
                "completion_tokens": 100,
                "prompt_tokens_details": {"cached_tokens": 1500},
                "completion_tokens_details": {"reasoning_tokens": 60},
            },
        },
    } | changes


def read(tmp_path: Path, *lines: Any) -> tuple[tuple[Recording, ...], list[str]]:
    """Write the lines and read them back: the recordings, and the faults without the file."""
    path = tmp_path / "r.jsonl"
    texts = [item if isinstance(item, str) else json.dumps(item) for item in lines]
    path.write_text("\n".join(texts), encoding="utf-8")
    try:
        found = read_recordings(path, PRICES)
    except RecordingUnreadable as error:
        return (), [str(error).removeprefix(f"{path}, ")]
    return found.recordings, [str(fault).removeprefix(f"{path}, ") for fault in found.faults]


def test_a_line_becomes_a_reply_with_all_that_it_says(tmp_path: Path) -> None:
    """Tokens and time as recorded; priced by the model that was asked, as the label names it."""
    (recording,), faults = read(tmp_path, line())

    assert faults == []
    assert (recording.ticket_id, recording.opened) == ("T-1", None)
    (exchange,) = recording.exchanges
    assert exchange.digest is None
    assert isinstance(exchange.answer, Replied)
    reply = exchange.answer.reply
    assert (reply.finish_reason, reply.model, reply.latency_us) == (
        "tool_calls",
        "some-deployment",
        1_500_000,
    )
    assert (reply.calls[0].call_id, reply.calls[0].name) == ("c1", "get_order")
    usage = reply.usage
    assert (usage.tokens_in, usage.tokens_out, usage.cached_in, usage.reasoning_out) == (
        2000,
        100,
        1500,
        60,
    )
    assert reply.cost.usd == Decimal("0.00025")


def test_what_a_line_does_not_say_is_unknown(tmp_path: Path) -> None:
    """No usage, no model in the table: unknown, never zero."""
    bare = line(label={"ticket_id": "T-1"})
    del bare["response"]["usage"]

    (recording,), _ = read(tmp_path, bare)

    answer = recording.exchanges[0].answer
    assert isinstance(answer, Replied)
    assert answer.reply.usage.tokens_in is None
    assert answer.reply.cost.state is CostState.UNKNOWN


def test_a_recorded_error_is_kept_as_one(tmp_path: Path) -> None:
    """With its status and its message."""
    failed = line(error={"status": 400, "message": "content filter"})
    del failed["response"]

    (recording,), _ = read(tmp_path, failed)

    answer = recording.exchanges[0].answer
    assert isinstance(answer, Failed)
    assert (answer.cause, answer.status, answer.message) == (
        "provider_error",
        400,
        "content filter",
    )


def test_steps_are_put_in_order_and_the_first_of_each_step_counts(tmp_path: Path) -> None:
    """Repeats of a step were recorded too; number one is the default."""
    second = line(label={"ticket_id": "T-1", "step": 2}, latency_s=2)
    first = line(label={"ticket_id": "T-1", "step": 1}, latency_s=1)
    repeat = line(label={"ticket_id": "T-1", "step": 1}, latency_s=9)

    (recording,), _ = read(tmp_path, second, first, repeat)

    assert [e.step for e in recording.exchanges] == [1, 2]
    answer = recording.exchanges[0].answer
    assert isinstance(answer, Replied)
    assert answer.reply.latency_us == 1_000_000


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        ("{", "line 2: is not a line of JSON"),
        ("7", "line 2: is not a JSON object"),
        (line(label=3), "line 2, field label: must be a JSON object"),
        (line(label={}), "line 2, field label.ticket_id: must name the ticket"),
        (line(label={"ticket_id": "T-2", "step": 0}), "line 2, field label.step"),
        (line(latency_s=-1), "line 2, field latency_s"),
        (line(latency_s=True), "line 2, field latency_s"),
        (line(latency_s="1"), "line 2, field latency_s"),
        (line(response={"choices": []}), "line 2, field response.choices: must hold a choice"),
        (line(response={"choices": [{"message": 1}]}), "line 2, field message"),
        (
            line(response={"choices": [{"message": {"tool_calls": [{"id": 1}]}}]}),
            "line 2, field response.choices.0.message.tool_calls",
        ),
    ],
)
def test_a_damaged_line_is_named_and_the_rest_is_read(tmp_path: Path, bad: Any, fault: str) -> None:
    """One line is lost, and the message says where it stands."""
    recordings, faults = read(tmp_path, line(), bad)

    assert [recording.ticket_id for recording in recordings] == ["T-1"]
    assert len(faults) == 1
    assert faults[0].startswith(fault)


def test_calls_with_missing_parts_are_kept_as_the_model_wrote_them(tmp_path: Path) -> None:
    """Empty ids and arguments that are no text do not stop the reading; the loop judges them."""
    odd = line()
    odd["response"]["choices"][0]["message"]["tool_calls"] = [
        {"id": None, "function": {"name": None, "arguments": None}}
    ]

    (recording,), faults = read(tmp_path, odd)

    assert faults == []
    answer = recording.exchanges[0].answer
    assert isinstance(answer, Replied)
    call = answer.reply.calls[0]
    assert (call.call_id, call.name, call.arguments) == ("", "", "")


def test_the_lines_are_brought_in_as_one_run_a_ticket_and_model(tmp_path: Path) -> None:
    """Steps in order; requests and results of calls are not in the lines."""
    second = line(label={"model": "chat-small", "step": 2, "ticket_id": "T-1"}, latency_s=2)
    first = line(label={"model": "chat-small", "step": 1, "ticket_id": "T-1"})
    other = line(label={"model": "chat-strong", "step": 1, "ticket_id": "T-1"})

    brought = bring(write_lines(tmp_path, second, first, other, "{", line(label={})))

    assert [len(each.exchanges) for each in brought.recordings] == [2, 1]
    run = brought.recordings[0]
    assert run.ticket_id == "T-1"
    assert run.unknown == {Unknown.REQUESTS, Unknown.RESULTS, Unknown.TOOL_TIME}
    assert [each.answer_us for each in run.exchanges] == [1_500_000, 2_000_000]
    assert brought.problems == [
        "line 4: is not a line of JSON",
        "line 5: field label.ticket_id: must name the ticket",
    ]


def test_real_lines_are_brought_in_whole(larkfield: Path, tmp_path: Path) -> None:
    """Twelve lines of seven tickets."""
    source = larkfield / "c08" / "recordings_tools_chat_small_12.jsonl"
    path = tmp_path / "real.jsonl"
    path.write_bytes(source.read_bytes())

    brought = bring(path)

    assert (brought.file.format, len(brought.recordings), brought.problems) == ("reference", 7, [])
    assert sum(len(each.exchanges) for each in brought.recordings) == 12
