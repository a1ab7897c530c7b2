"""Logs of Inspect, as an archive and as one document."""

import json
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from recordings import RecordingUnreadable, Unknown
from tests.recordings.importers.bringing import assistant, bring, user, write_json
from tools import Kind

HEADER = {"version": 2, "status": "success", "eval": {"task": "shop", "model": "openai/gpt-4o"}}
CALL = {"id": "t1", "function": "get_order", "arguments": {"id": "LK-1"}, "type": "function"}


def answer(error: dict[str, str] | None = None, text: str = "shipped") -> dict[str, Any]:
    """Return an answer to the call."""
    return {
        "role": "tool",
        "content": text,
        "tool_call_id": "t1",
        "function": "get_order",
        "error": error,
    }


def sample(**changes: Any) -> dict[str, Any]:
    """Return a sample with its events."""
    events = [
        {
            "event": "model",
            "model": "openai/gpt-4o",
            "tools": [{"name": "get_order", "description": "d", "parameters": {"type": "object"}}],
            "output": {
                "model": "gpt-4o-2026",
                "choices": [{"message": {"id": "m1"}, "stop_reason": "tool_calls"}],
                "usage": {
                    "input_tokens": 10,
                    "input_tokens_cache_read": 5,
                    "output_tokens": 3,
                    "total_cost": 0.002,
                },
                "time": 1.25,
            },
        },
        {
            "event": "tool",
            "id": "t1",
            "timestamp": "2026-11-30T08:00:00+00:00",
            "completed": "2026-11-30T08:00:00.500000+00:00",
        },
    ]
    messages = [
        user("attachment://long"),
        assistant("", CALL, id="m1"),
        answer(),
        assistant("Yes."),
    ]
    return {
        "id": "s1",
        "epoch": 1,
        "messages": messages,
        "events": events,
        "attachments": {"long": "A long question."},
        "scores": {"match": {"value": "C"}},
    } | changes


def archive(folder: Path, *samples: Any, header: str = "header.json") -> Path:
    """Write an archive; a sample that is a text is an entry as it stands."""
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for number, item in enumerate(samples, start=1):
            text = item if isinstance(item, str) else json.dumps(item)
            packed.writestr(f"samples/s{number}_epoch_1.json", text)
        packed.writestr(header, json.dumps(HEADER))
    return path


def test_a_sample_is_a_run_with_what_its_events_say(tmp_path: Path) -> None:
    brought = bring(archive(tmp_path, sample()))

    first = brought.replies()[0]
    assert (first.latency_us, first.cost.usd, first.model) == (
        1_250_000,
        Decimal("0.002"),
        "gpt-4o-2026",
    )
    assert (first.usage.tokens_in, first.usage.cached_in, first.usage.tokens_out) == (15, 5, 3)
    assert (first.text, first.finish_reason) == (None, "tool_calls")
    assert brought.only.opened is not None
    assert brought.only.opened.head.model == "openai/gpt-4o"
    assert [each.name for each in brought.only.opened.head.tools] == ["get_order"]


def test_a_tool_took_the_time_between_its_stamps(tmp_path: Path) -> None:
    brought = bring(archive(tmp_path, sample()))

    assert [e.at_us for e in brought.only.entries if e.record.kind == "called"] == [1_750_000]
    assert Unknown.TOOL_TIME not in brought.only.unknown


def test_long_texts_are_taken_from_the_attachments(tmp_path: Path) -> None:
    brought = bring(archive(tmp_path, sample()))

    assert brought.only.opened is not None
    assert brought.only.opened.text == "A long question."


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("parsing", Kind.INVALID),
        ("permission", Kind.REFUSED),
        ("approval", Kind.REFUSED),
        ("file_not_found", Kind.NOT_FOUND),
        ("timeout", Kind.FAILED),
        ("of tomorrow", Kind.FAILED),
    ],
)
def test_an_error_has_the_kind_of_its_type(tmp_path: Path, kind: str, outcome: Kind) -> None:
    told = answer({"type": kind, "message": "no such order"}, text="")
    said = [user(), assistant("", CALL), told, assistant("Hm.")]

    brought = bring(archive(tmp_path, sample(messages=said)))

    assert [(each.result, each.text) for each in brought.called()] == [(outcome, "no such order")]


@pytest.mark.parametrize(
    ("values", "success"),
    [
        (["C"], True),
        (["I"], False),
        (["N"], False),
        (["P"], None),
        ([1], True),
        ([0.0], False),
        ([0.5], None),
        ([True], True),
        (["C", 1.0], True),
        (["C", "I"], None),
        ([{"a": 1}], None),
    ],
)
def test_a_verdict_is_what_all_scores_say(
    tmp_path: Path, values: list[Any], success: bool | None
) -> None:
    scores = {f"scorer-{number}": {"value": each} for number, each in enumerate(values)}

    brought = bring(archive(tmp_path, sample(scores=scores)))

    assert brought.only.label is not None
    assert brought.only.label.success is success
    assert len(brought.only.label.scores) == len(values)


def test_without_scores_there_is_no_label(tmp_path: Path) -> None:
    brought = bring(archive(tmp_path, sample(scores=None, limit={"type": "token", "limit": 5})))

    assert brought.only.label is None
    assert brought.only.source is not None
    assert brought.only.source.ended == "limit: token"


def test_the_json_form_is_read_too(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, HEADER | {"samples": [sample(), sample(id=2, epoch=3)]}))

    assert [(each.ticket_id, len(each.exchanges)) for each in brought.recordings] == [
        ("s1", 2),
        ("2", 2),
    ]
    assert brought.file.format == "inspect"


def test_a_damaged_sample_costs_itself_only(tmp_path: Path) -> None:
    brought = bring(archive(tmp_path, sample(), '{"id": ', sample(messages=[])))

    assert len(brought.recordings) == 1
    assert brought.problems == [
        "entry samples/s2_epoch_1.json: is not JSON",
        "entry samples/s3_epoch_1.json: holds no reply of a model",
    ]


def test_the_log_of_a_run_that_was_cut_short_has_its_header_elsewhere(tmp_path: Path) -> None:
    brought = bring(archive(tmp_path, sample(), header="_journal/start.json"))

    assert brought.only.opened is not None
    assert brought.only.opened.head.model == "openai/gpt-4o"


def test_an_archive_that_is_cut_off_is_named(tmp_path: Path) -> None:
    path = archive(tmp_path, sample())
    path.write_bytes(path.read_bytes()[:-30])

    with pytest.raises(RecordingUnreadable, match="the archive: is cut off or damaged"):
        bring(path)


def test_a_sample_whose_bytes_are_damaged_is_named(tmp_path: Path) -> None:
    path = archive(tmp_path, sample(), sample())
    data = bytearray(path.read_bytes())
    data[80:120] = bytes(40)
    path.write_bytes(bytes(data))

    brought = bring(path)

    assert len(brought.recordings) == 1
    assert "damaged" in brought.problems[0]


def test_a_sample_with_a_password_is_named(tmp_path: Path) -> None:
    path = archive(tmp_path, sample(), sample())
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + 8] |= 1  # the flag of an encrypted entry, in the list and at the entry itself
    data[data.index(b"PK\x03\x04") + 6] |= 1
    path.write_bytes(bytes(data))

    brought = bring(path)

    assert len(brought.recordings) == 1
    assert "is locked with a password" in brought.problems[0]


def test_an_archive_of_today_is_packed_with_zstandard(tmp_path: Path) -> None:
    packed = pytest.importorskip("backports.zstd.zipfile")
    path = tmp_path / "log.eval"
    with packed.ZipFile(path, "w", packed.ZIP_ZSTANDARD) as log:
        log.writestr("samples/s1_epoch_1.json", json.dumps(sample()))
        log.writestr("header.json", json.dumps(HEADER))

    assert len(bring(path).only.exchanges) == 2
