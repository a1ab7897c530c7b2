"""``handrail labels``: runs in the store, judged by people, become eval data."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from approvals import Proposals, Revisions
from approvals.store import tx
from bot.deciding import person_of
from bot.labels.shop_files import PASSAGES, TABLES
from bot.now import now_us
from bot.slack.store.drafts import FeedbackKind, give_feedback, keep_edit
from loop import PRICES
from recordings import Label, Recording, read_recordings
from tests.bot.approving import Cli, Counter, words
from tools import SHIPPED_DATA, load_tickets

REPLY = "T-64811"
REFUND = "T-64872"
DOUBLE = "T-65273"
LABEL = "T-90101"


def judge(counter: Counter, ticket: str, *kinds: FeedbackKind) -> None:
    """Let people press buttons below the ticket's draft, each once."""
    with counter.db() as db, tx(db):
        for number, kind in enumerate(kinds):
            give_feedback(db, run_of(ticket), kind, by=f"U0000000{number}", now_us=number)


def edit(counter: Counter, proposal_id: str, *, minor: int) -> None:
    """Let the team lead change the amount of the first action."""
    policy = counter.settings().policy()
    with counter.db() as db, tx(db):
        Revisions(policy, Proposals(policy), practice_shop=True).edit(
            db,
            proposal_id=proposal_id,
            version=1,
            amounts={1: minor},
            person=person_of(policy, "ULEA"),
            now_us=now_us(),
        )


def run_of(ticket: str) -> str:
    return f"{ticket}-resolver-chat-small-1"


def made(cli: Cli, home: Path) -> tuple[dict[str, Recording], dict[str, Any]]:
    """Make the folder; return its recordings by ticket, and the labelled outcomes by ticket."""
    done = cli("labels", home / "judged")
    assert done.exit_code == 0, done.output
    read = read_recordings(home / "judged" / "recordings", PRICES)
    assert read.faults == ()
    tickets = load_tickets(home / "judged" / "data")
    return (
        {each.ticket_id: each for each in read.recordings},
        {case.ticket.ticket_id: case.expected for case in tickets},
    )


def label_of(recording: Recording) -> Label:
    assert recording.label is not None
    return recording.label


def test_what_people_did_in_the_store_is_what_eval_and_explore_score_by(
    counter: Counter, cli: Cli, home: Path
) -> None:
    """The whole way: runs, thumbs, a signature, a rejection; then both commands use it."""
    signed, refused = counter.propose(REFUND), counter.propose(DOUBLE)
    cli("run", REPLY)
    assert counter.approve(signed).exit_code == 0
    cli(
        "proposals",
        "reject",
        refused,
        "--as",
        "ULEA",
        "--reason",
        "Mail jo@example.com, or <@U012LEAD>.",
    )
    judge(counter, REPLY, FeedbackKind.HELPFUL)

    runs, expected = made(cli, home)

    assert {name: label_of(run).success for name, run in runs.items()} == {
        REFUND: True,
        DOUBLE: False,
        REPLY: True,
    }
    assert label_of(runs[DOUBLE]).scores["reasons"] == "Mail [email 1], or [person 1]."
    assert {name: each.outcome for name, each in expected.items()} == {
        REFUND: "resolve",
        REPLY: "reply_only",
    }
    scored = cli(
        "eval",
        "--data",
        home / "judged/data",
        "--recordings",
        home / "judged/recordings",
        "--match",
        "sequence",
        "--save",
        "-",
    )
    assert {run["ticket_id"]: run["success"] for run in json.loads(scored.stdout)["runs"]} == {
        REFUND: True,
        REPLY: True,
    }
    page = home / "page.html"
    shown = cli("explore", home / "judged/recordings", "--success", "label", "--html", page)
    assert shown.exit_code == 0
    text = page.read_text(encoding="utf-8").partition('id="data">')[2]
    data = json.loads(text.partition("</script>")[0])
    success = data["columns"]["runs"].index("success")
    assert sorted(run[success] for run in data["runs"]) == ["failed", "succeeded", "succeeded"]


def test_an_amount_that_a_person_edited_is_right_and_the_run_was_not(
    counter: Counter, cli: Cli, home: Path
) -> None:
    proposal = counter.propose(REFUND)
    edit(counter, proposal, minor=2000)
    assert counter.approve(proposal).exit_code == 0

    runs, expected = made(cli, home)

    assert label_of(runs[REFUND]).success is False
    assert label_of(runs[REFUND]).scores == {"amount_edited": 1}
    assert [action["amount"] for action in expected[REFUND].actions] == ["20.00"]


def test_verdicts_that_contradict_each_other_are_unknown_and_counted(
    counter: Counter, cli: Cli, home: Path
) -> None:
    cli("run", REPLY)
    judge(counter, REPLY, FeedbackKind.HELPFUL, FeedbackKind.DISCARDED)

    done = cli("labels", home / "judged", "--json")

    assert json.loads(done.stdout)["runs"] == {
        "succeeded": 0,
        "failed": 0,
        "contradictory": 1,
        "undecided": 0,
    }
    (run,) = read_recordings(home / "judged" / "recordings", PRICES).recordings
    assert label_of(run) == Label(
        success=None,
        by="people: helpful, discarded",
        scores={"helpful": 1, "discarded": 1},
    )


def test_tickets_of_whose_runs_people_showed_different_outcomes_are_left_out(
    counter: Counter, cli: Cli, home: Path
) -> None:
    """The first run was helpful without any action; another one's refund was signed and done."""
    cli("run", REPLY)
    judge(counter, REPLY, FeedbackKind.HELPFUL)
    proposal = counter.propose(REFUND)
    counter.approve(proposal)
    counter.tamper(
        "UPDATE journal SET line = replace(line, ?, ?) WHERE run_id = ?",
        f'"ticket_id":"{REFUND}"',
        f'"ticket_id":"{REPLY}"',
        run_of(REFUND),
    )

    done = cli("labels", home / "judged")

    assert "0 tickets whose right outcome they showed" in words(done)
    assert f"1 ticket left out: people showed different outcomes ({REPLY})" in words(done)


def test_a_rejected_proposal_that_was_reopened_and_signed_speaks_for_the_run(
    counter: Counter, cli: Cli, home: Path
) -> None:
    proposal = counter.propose(REFUND)
    cli("proposals", "reject", proposal, "--as", "UANN", "--reason", "Not yet.")
    assert cli("proposals", "reopen", proposal, "--as", "UANN").exit_code == 0
    (new,) = (each.proposal_id for each in counter.proposals() if each.made_from is not None)
    assert counter.approve(new).exit_code == 0

    runs, expected = made(cli, home)

    assert label_of(runs[REFUND]) == Label(
        success=True, by="people: approved", scores={"approved": 1}
    )
    assert expected[REFUND].outcome == "resolve"


def test_a_signature_that_was_not_carried_out_shows_no_outcome(
    counter: Counter, cli: Cli, home: Path
) -> None:
    counter.decide(counter.propose(REFUND))

    runs, expected = made(cli, home)

    assert label_of(runs[REFUND]).success is True
    assert expected == {}


def test_how_much_of_a_draft_an_edit_kept_is_told_and_decides_nothing(
    counter: Counter, cli: Cli, home: Path
) -> None:
    cli("run", REPLY)
    judge(counter, REPLY, FeedbackKind.EDITED)
    with counter.db() as db, tx(db):
        keep_edit(db, run_of(REPLY), "Something else.", by="U00000000", now_us=1)

    runs, expected = made(cli, home)

    assert label_of(runs[REPLY]).success is None
    assert label_of(runs[REPLY]).scores == {"edited": 1, "text_kept": 0.0}
    assert expected == {}


def test_nobody_who_judged_is_named_and_every_file_is_private(
    counter: Counter, cli: Cli, home: Path
) -> None:
    cli("run", REPLY)
    judge(counter, REPLY, FeedbackKind.HELPFUL, FeedbackKind.ASKED_AGAIN)
    counter.approve(counter.propose(REFUND))
    made(cli, home)

    files = [each for each in (home / "judged").rglob("*") if each.is_file()]
    assert [each for each in files if stat.S_IMODE(each.stat().st_mode) != 0o600] == []
    assert stat.S_IMODE((home / "judged").stat().st_mode) == 0o700
    texts = "".join(each.read_text(encoding="utf-8") for each in files)
    assert [name for name in ("U00000000", "U00000001", "UANN") if name in texts] == []


def test_a_folder_that_is_there_is_left_as_it_is(counter: Counter, cli: Cli, home: Path) -> None:
    cli("run", REPLY)
    judge(counter, REPLY, FeedbackKind.HELPFUL)
    (home / "judged").mkdir()

    done = cli("labels", home / "judged")

    assert done.exit_code == 2
    assert "exists, and nothing is overwritten" in done.stderr
    assert list((home / "judged").iterdir()) == []


def test_a_run_whose_journal_was_erased_is_counted_and_no_label(
    counter: Counter, cli: Cli, home: Path
) -> None:
    cli("run", REPLY)
    cli("run", LABEL)
    judge(counter, REPLY, FeedbackKind.HELPFUL)
    judge(counter, LABEL, FeedbackKind.HELPFUL)
    counter.tamper("DELETE FROM journal WHERE run_id = ?", run_of(REPLY))

    done = cli("labels", home / "judged", "--json")

    assert json.loads(done.stdout)["erased"] == 1
    assert json.loads(done.stdout)["runs"]["succeeded"] == 1


def test_a_store_that_nobody_judged_anything_in_says_so(cli: Cli) -> None:
    cli("run", REPLY)

    done = cli("labels", "judged")

    assert done.exit_code == 2
    assert "nobody has judged a run" in done.stderr
    assert not Path("judged").exists()


def test_the_copied_shop_is_the_shop_without_what_it_knows_of_people(
    counter: Counter, cli: Cli, home: Path
) -> None:
    data = home / "own"
    data.mkdir()
    for each in SHIPPED_DATA.iterdir():
        (data / each.name).write_bytes(each.read_bytes())
    past = data / "past_tickets.csv"
    first = past.read_text(encoding="utf-8").splitlines()[1].rsplit(",", 1)[0]
    row = f'{first.replace("T-5", "T-4", 1)},"Call me, 416-555-0134"\n'
    past.write_text(past.read_text(encoding="utf-8") + row, encoding="utf-8")
    counter.approve(counter.propose(REFUND, "--data", str(data)))

    cli("labels", home / "judged", "--data", data)

    copied = home / "judged" / "data"
    assert "Call me, [phone]" in (copied / "past_tickets.csv").read_text(encoding="utf-8")
    for name in ("orders.csv", "payments.csv", PASSAGES):
        assert (copied / name).read_text("utf-8") == (SHIPPED_DATA / name).read_text("utf-8")


def test_the_files_of_a_data_folder_are_all_known() -> None:
    shipped = {each.name for each in SHIPPED_DATA.iterdir()} - {"README.md", "tasks.jsonl"}

    assert shipped == {*TABLES, PASSAGES}


@pytest.mark.parametrize("data", ["orders.csv"])
def test_a_table_that_cannot_be_read_is_named(
    counter: Counter, cli: Cli, home: Path, data: str
) -> None:
    counter.approve(counter.propose(REFUND))
    (home / "bad").mkdir()
    (home / "bad" / data).write_bytes(b"order_id\n\xff\n")

    done = cli("labels", home / "judged", "--data", home / "bad")

    assert done.exit_code == 2
    assert f"{data}: cannot be read" in done.stderr
    assert not (home / "judged").exists()
