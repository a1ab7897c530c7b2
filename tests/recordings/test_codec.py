"""One entry, one line, both ways."""

import json

import pytest

from loop import Entry, ProviderFailed, Replied, Stopped
from recordings import RecordingUnreadable, decode, encode
from tests.recordings.builders import LOOK_UP, recorded, work_on
from tools import PracticeShop


def test_every_entry_of_a_run_comes_back_equal(shop: PracticeShop) -> None:
    """Reading what was written gives the very records, so a resumed run can compare them."""
    failed = ProviderFailed("overloaded", status=503, wait_s=2.5, latency_us=7)
    _, entries = recorded(work_on(shop), [LOOK_UP, failed])

    lines = [encode("run-1", entry) for entry in entries]

    assert [decode(line, file="f", number=1) for line in lines] == [("run-1", e) for e in entries]
    kinds = [entry.record.kind for entry in entries]
    assert kinds == ["opened", "asked", "replied", "called", "asked", "failed", "stopped", "closed"]


def test_a_line_is_one_line_and_says_its_version(shop: PracticeShop) -> None:
    """Line breaks in texts are escaped; version, run, place and time stand first."""
    _, entries = recorded(work_on(shop))

    line = encode("run-1", entries[1])

    assert "\n" not in line
    assert list(json.loads(line))[:4] == ["v", "run", "seq", "at_us"]
    assert json.loads(line)["v"] == 1


GOOD = (
    '{"v":1,"run":"r","seq":0,"at_us":0,"kind":"stopped","stop":{"reason":"finished","step":1,'
    '"limit":null,"limit_value":null,"observed":null,"also":[],"cause":null}}'
)


CLOSED = (
    '{"v":1,"run":"r","seq":0,"at_us":0,"kind":"closed","result":"valid","resolution":null,'
    '"problems":[],"steps":1,"calls":0,"tokens_in":1,"tokens_out":1,"cost_usd":"0.5",'
    '"cost_complete":true,"seconds_us":1}'
)


@pytest.mark.parametrize(
    ("line", "field", "problem"),
    [
        ("{", None, "is not a line of JSON"),
        ("[1]", None, "is not a JSON object"),
        ("[" * 100_000, None, "is not a line of JSON"),
        (GOOD.replace('"also":[]', f'"also":{"[" * 230}{"]" * 230}'), None, "is nested deeper"),
        (GOOD.replace('"run":"r"', '"run":"\ud800"'), None, "is not a line of JSON"),
        (GOOD.replace('"run":"r"', '"run":"\\ud800"'), None, "is not a line of JSON"),
        (GOOD.replace('"v":1', '"v":2'), "v", "is not 1"),
        (GOOD.replace('"run":"r"', '"run":7'), "run", "must name the run"),
        (GOOD.replace('"seq":0', '"seq":-1'), "seq", "whole number"),
        (GOOD.replace('"seq":0', '"seq":true'), "seq", "whole number"),
        (GOOD.replace('"at_us":0', '"at_us":0.5'), "at_us", "whole number"),
        (GOOD.replace('"at_us":0', '"at_us":1' + "0" * 30), "at_us", "whole number"),
        (CLOSED.replace('"0.5"', '"1e300"'), None, "a total cost is an amount"),
        (CLOSED.replace('"tokens_in":1', '"tokens_in":1' + "0" * 30), None, "a total is"),
        (GOOD.replace('"kind":"stopped"', '"kind":"paused"'), "kind", "paused"),
        (GOOD.replace('"finished"', '"gave_up"'), "stop.reason", "Input should be"),
    ],
)
def test_a_damaged_line_is_named(line: str, field: str | None, problem: str) -> None:
    """The message names file, line and field."""
    with pytest.raises(RecordingUnreadable) as caught:
        decode(line, file="some.jsonl", number=12)

    assert str(caught.value).startswith("some.jsonl, line 12")
    assert caught.value.field == field
    assert problem in str(caught.value)


def test_the_good_line_of_the_test_above_is_good() -> None:
    """So that each damaged line is damaged in one place only."""
    run_id, entry = decode(GOOD, file="f", number=1)

    assert run_id == "r"
    assert isinstance(entry, Entry)
    assert isinstance(entry.record, Stopped)


def test_a_figure_of_a_reply_that_cannot_be_is_read_as_unknown(shop: PracticeShop) -> None:
    _, entries = recorded(work_on(shop))
    line = encode("run-1", next(e for e in entries if isinstance(e.record, Replied)))
    absurd = json.loads(line)
    absurd["reply"]["usage"]["tokens_in"] = 10**30
    absurd["reply"]["cost"]["usd"] = "1e300"

    record = decode(json.dumps(absurd), file="f", number=1)[1].record

    assert isinstance(record, Replied)
    assert record.reply.usage.tokens_in is None
    assert record.reply.usage.tokens_out == json.loads(line)["reply"]["usage"]["tokens_out"]
    assert record.reply.cost.usd is None
