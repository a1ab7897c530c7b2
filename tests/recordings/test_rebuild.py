"""The shipped recordings and the written replies that they are made of."""

from pathlib import Path

import pytest

from loop import PRICES, get_profile
from recordings import (
    SHIPPED_RECORDINGS,
    Recording,
    RecordingUnreadable,
    construct,
    profile_for,
    read_recordings,
    read_written,
)
from recordings.rebuild import rebuilt
from tests.recordings.builders import work_on
from tools import PracticeShop


def shipped(name: str) -> tuple[Recording, ...]:
    """Return the recordings of one shipped file, which must read without a fault."""
    read = read_recordings(SHIPPED_RECORDINGS / f"{name}.jsonl", PRICES)
    assert read.faults == ()
    return read.recordings


def test_the_shipped_recordings_are_those_that_the_code_makes_today() -> None:
    """After a change of a prompt, a schema, a tool or the data: ``make recordings``."""
    stale = [path.name for path, text in rebuilt() if path.read_text(encoding="utf-8") != text]

    assert stale == []


def test_every_shipped_recording_is_whole_and_marked_as_constructed() -> None:
    """Each file under written/ has its recordings, and none hides that it was written by hand."""
    written = sorted((SHIPPED_RECORDINGS / "written").glob("*.jsonl"))
    assert [path.stem for path in written] == [
        "assistant",
        "desk",
        "reference_stops",
        "resolver",
    ]
    for path in written:
        recordings = shipped(path.stem)
        assert [r.name for r in recordings] == [w.run_id for w in read_written(path)]
        for recording in recordings:
            assert recording.complete
            assert recording.opened is not None
            assert recording.opened.marks == {"constructed": True}


def test_there_are_recordings_for_every_ticket_and_enough_for_the_other_profiles() -> None:
    """At least 40 tickets in the resolver profile, at least 15 in each of the other two."""
    assert len({r.ticket_id for r in shipped("resolver")}) >= 40
    assert len({r.ticket_id for r in shipped("assistant")}) >= 15
    assert len({r.ticket_id for r in shipped("desk")}) >= 15


WRITTEN = (
    '{"ticket_id":"T-80008","profile":"resolver","model":"chat-small","replies":[{"calls":'
    '[{"name":"get_order","arguments":{"order_id":"LK-581106"}}],"latency_s":1,"tokens_in":10,'
    '"tokens_out":2}]}'
)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (WRITTEN.replace('"latency_s":1', '"latency_s":-1'), "replies.0.latency_s"),
        (WRITTEN.replace('"tokens_in":10', '"tokens_in":"10"'), "replies.0.tokens_in"),
        (WRITTEN.replace('"profile"', '"profil"'), "profile"),
        ("{", ""),
    ],
)
def test_a_malformed_written_line_is_named(tmp_path: Path, line: str, field: str) -> None:
    """File, line and field."""
    path = tmp_path / "w.jsonl"
    path.write_text(f"\n{line}\n")

    with pytest.raises(RecordingUnreadable) as caught:
        list(read_written(path))

    assert str(caught.value).startswith("w.jsonl, line 2")
    assert (caught.value.field or "") == field


def test_written_replies_beyond_the_end_of_the_run_are_told(
    tmp_path: Path, shop: PracticeShop
) -> None:
    """A repeat ends the run at the second reply; the third was written for nothing."""
    path = tmp_path / "w.jsonl"
    one = WRITTEN[WRITTEN.index('{"calls"') : -2]
    path.write_text(WRITTEN.replace(one, ",".join([one] * 3)))
    (written,) = read_written(path)

    with pytest.raises(RecordingUnreadable, match="repeated_call after 2 of 3 written replies"):
        construct(written, work_on(shop))


def test_an_unlimited_written_run_goes_on_to_its_last_reply(
    tmp_path: Path, shop: PracticeShop
) -> None:
    """So that looser limits can be tried on the recording."""
    path = tmp_path / "w.jsonl"
    one = WRITTEN[WRITTEN.index('{"calls"') : -2]
    text = WRITTEN.replace(one, ",".join([one] * 12)).replace('"model"', '"unlimited":true,"model"')
    path.write_text(text)
    (written,) = read_written(path)
    profile = profile_for(written, get_profile("resolver"))

    recording = Recording.of("r", construct(written, work_on(shop, limits=profile.limits)))

    assert recording is not None
    assert len(recording.exchanges) == 12
    assert recording.stopped is not None
    assert recording.stopped.stop.reason == "max_steps"
