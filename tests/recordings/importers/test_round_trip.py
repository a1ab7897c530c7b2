"""Whatever an importer reads is read back as it was written; and memory stays flat."""

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loop import Cost, CostState, Message, Reply, Role, Usage, WireCall
from recordings import Recording, decode, encode
from recordings.check import faults_of
from recordings.importers.journal import journal_of
from recordings.importers.redacting import redacted
from recordings.importers.runs import Answered, Heard, ImportedRun, NoReply, Spoke
from recordings.origin import Label, Source, Unknown
from tests.bench.imports import big_tau, peak_kb
from tools import Kind, ToolSpec

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
COUNT = st.none() | st.integers(0, 10**9)
IDS = st.sampled_from(["", "a", "b"])
NAMES = st.sampled_from(["", "get_order", "get_payments"])
CALLS = st.builds(WireCall, call_id=IDS, name=NAMES, arguments=TEXT)
COSTS = st.one_of(
    st.just(Cost(state=CostState.NOT_RECORDED)),
    st.decimals(0, 10, places=6).map(lambda usd: Cost(state=CostState.KNOWN, usd=usd)),
)
REPLIES = st.builds(
    Reply,
    text=st.none() | TEXT,
    calls=st.lists(CALLS, max_size=3).map(tuple),
    finish_reason=st.none() | TEXT,
    model=st.none() | TEXT,
    usage=st.builds(Usage, tokens_in=COUNT, tokens_out=COUNT),
    latency_us=COUNT,
    cost=COSTS,
)
ITEMS = st.one_of(
    st.builds(Heard, message=st.builds(Message, role=st.sampled_from(Role), text=st.none() | TEXT)),
    st.builds(Spoke, reply=REPLIES),
    st.builds(NoReply, message=TEXT, latency_us=COUNT),
    st.builds(
        Answered,
        call_id=IDS,
        name=NAMES,
        text=TEXT,
        outcome=st.none() | st.sampled_from(Kind),
        took_us=COUNT,
    ),
)
SCORES = st.dictionaries(TEXT, st.none() | st.booleans() | st.integers(-9, 9) | TEXT, max_size=3)
RUNS = st.builds(
    ImportedRun,
    source=st.builds(Source, format=TEXT, file=TEXT, place=TEXT, task=st.none() | TEXT),
    label=st.none() | st.builds(Label, success=st.none() | st.booleans(), by=TEXT, scores=SCORES),
    model=TEXT,
    items=st.lists(ITEMS, max_size=12).map(tuple),
    tools=st.just((ToolSpec(name="t", description="", parameters={"minimum": "0.5"}),)),
    unknown=st.frozensets(st.sampled_from(Unknown)),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(RUNS, st.booleans())
def test_a_run_is_read_back_as_it_was_written(run: ImportedRun, keep: bool) -> None:
    kept = run if keep else redacted(run)
    entries = journal_of(kept, "run", redacted=not keep)

    back = [decode(encode("run", entry), file="f", number=1) for entry in entries]

    assert back == [("run", entry) for entry in entries]
    recording = Recording.of("run", entries)
    assert recording is not None
    assert (recording.source, recording.label) == (run.source, run.label)
    assert recording.unknown >= run.unknown
    assert list(faults_of(recording)) == []


@given(RUNS)
def test_every_answer_goes_to_one_call_and_no_call_has_two(run: ImportedRun) -> None:
    called: list[Any] = [
        entry.record
        for entry in journal_of(run, "run", redacted=False)
        if entry.record.kind == "called"
    ]

    places = [(each.step, each.index) for each in called]
    assert len(places) == len(set(places))
    assert len(places) <= sum(isinstance(item, Answered) for item in run.items)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """The bench measures 200 MB; here a file of 40 times the size may take a tenth more."""
    small, big = tmp_path / "small.json", tmp_path / "big.json"
    big_tau(small, 0.1)
    big_tau(big, 4)

    (few, least), (many, most) = peak_kb(small), peak_kb(big)

    assert many > 30 * few
    assert most < 1.1 * least
