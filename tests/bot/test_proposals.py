"""From a run to a proposal, and what is stated about it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NoReturn

import pytest
from sqlite_utils import Database

from approvals import NO_POLICY, Asked, Proposals, ProposalState
from approvals.store import rows
from bot.keeper import begin, open_runs, run_ids
from bot.now import now_us
from bot.plan import plan_run
from bot.proposing import Proposer
from bot.supplies import open_supplies
from bot.triage import triage
from loop import PRICES
from tests.bot.approving import Counter, words


def test_a_valid_run_leaves_a_proposal_and_names_the_next_command(counter: Counter) -> None:
    proposal_id = counter.propose()
    (proposal,) = counter.proposals()

    assert re.fullmatch(r"P-[2-9A-Z]{3}-[2-9A-Z]{3}", proposal_id)
    assert proposal.proposal_id == proposal_id
    assert proposal.state is ProposalState.WAITING
    assert (proposal.ticket_id, proposal.customer_id) == ("T-64872", "C-59678")
    assert proposal.run_id == "T-64872-resolver-chat-small-1"
    assert counter.changes() == ()


def test_json_names_the_proposal(counter: Counter) -> None:
    done = counter.cli("run", "T-64872", "--json")
    (proposal,) = counter.proposals()

    assert json.loads(done.stdout)["proposal_id"] == proposal.proposal_id


def test_a_second_run_gets_the_same_proposal(counter: Counter) -> None:
    first = counter.propose()
    again = counter.cli("run", "T-64872")

    assert f"{first} asks for the same already; it is waiting" in words(again)
    assert len(counter.proposals()) == 1


@pytest.mark.parametrize(("ticket", "status"), [("T-80008", 0), ("T-80001", 0), ("T-90601", 0)])
def test_a_run_without_changes_proposes_nothing(counter: Counter, ticket: str, status: int) -> None:
    done = counter.cli("run", ticket)

    assert done.exit_code == status
    assert "proposals show" not in done.stdout
    assert counter.proposals() == []


def test_a_run_that_keeps_nothing_leaves_no_proposal(counter: Counter) -> None:
    done = counter.cli("run", "T-64872", "--no-store", "--json")

    assert json.loads(done.stdout)["proposal_id"] is None
    assert not counter.store.exists()
    assert not counter.shop_file.exists()


def test_a_stopped_run_proposes_nothing(counter: Counter) -> None:
    done = counter.cli("run", "T-64872", "--limit", "max_steps=1")

    assert done.exit_code == 1
    assert counter.proposals() == []


class Died(Exception):
    """The process died as it ended its run."""


class DyingProposals(Proposals):
    """Stores the proposal and dies before the commit."""

    def create(
        self, db: Database, asked: Asked, *, now_us: int, replaces: bool = False
    ) -> NoReturn:
        super().create(db, asked, now_us=now_us, replaces=replaces)
        raise Died


def test_the_proposal_is_in_the_commit_that_ends_the_run_and_a_resume_makes_one(
    counter: Counter, recorded: Path
) -> None:
    settings = counter.settings()
    with (
        open_supplies(recordings=recorded, prices=PRICES) as supplies,
        open_runs(counter.store) as runs,
    ):
        plan = plan_run(supplies, settings, "T-64872")
        keeper = begin(plan, runs, run_ids(plan, runs), "2026-10-09T10:00:00.000+00:00")

        proposer = Proposer(DyingProposals(NO_POLICY), supplies.shop, now_us=now_us)
        with pytest.raises(Died):
            triage(plan, supplies.shop, keeper, proposer)
        assert counter.proposals() == []
        state = runs.get(keeper.run_id).state
    resumed = counter.cli("resume", keeper.run_id)

    assert state == "running"
    assert resumed.exit_code == 0
    assert len(counter.proposals()) == 1
    assert counter.cli("resume", keeper.run_id).exit_code == 2
    assert len(counter.proposals()) == 1


def test_without_a_policy_it_waits_and_nobody_may_approve(counter: Counter) -> None:
    counter.write_policy("")
    proposal_id = counter.propose()
    shown = counter.cli("proposals", "show", proposal_id)
    done = counter.approve(proposal_id)

    assert "may sign nobody: the settings have no approvals table" in words(shown)
    assert done.exit_code == 1
    assert "UANN is not listed in the approvals table" in done.stderr
    assert counter.state(proposal_id) is ProposalState.WAITING


def test_b75_show_states_everything_and_that_nothing_has_happened(counter: Counter) -> None:
    """Also B66: 119.00 needs a team lead."""
    proposal_id = counter.propose("T-65273")
    text = words(counter.cli("proposals", "show", proposal_id.lower().replace("-", "")))

    for part in (
        "Refund 119.00 CAD on order LK-507862, of payment PAY-507862-2 (RFD-DOUBLE",
        "for customer C-10507, ticket T-65273",
        "rule W7",
        "counts 119.00 CAD; with the ticket's other proposals 119.00 CAD",
        "evidence get_payments order_id LK-507862: order_id LK-507862, currency CAD",
        "may sign team_lead: ULEA; head: UHED",
        "until 20",
        "in 72 h",
        "Nothing has happened yet.",
        f"next: handrail proposals approve {proposal_id} --as USER",
    ):
        assert part in text


def test_who_asked_for_it_is_named_and_does_not_sign(counter: Counter) -> None:
    proposal_id = counter.propose("T-64872", "--requested-by", "UANN")
    shown = words(counter.cli("proposals", "show", proposal_id))
    done = counter.approve(proposal_id)

    assert "not UANN, who asked for it" in shown
    assert done.exit_code == 1
    assert "UANN asked for this; somebody else has to sign" in done.stderr
    assert counter.approve(proposal_id, "UART").exit_code == 0


def test_lists_show_what_is_open_and_count(counter: Counter) -> None:
    first, second = counter.propose("T-64872"), counter.propose("T-65273")
    counter.cli("proposals", "reject", first, "--as", "UANN", "--reason", "not due")

    opened = counter.cli("proposals", "list").stdout.splitlines()
    everything = counter.cli("proposals", "list", "--all").stdout.splitlines()
    rejected = counter.cli("proposals", "list", "--state", "rejected").stdout.splitlines()

    assert opened[0].startswith(f"{second}  waiting     T-65273   Refund 119.00 CAD")
    assert opened[1:] == ["1 proposal"]
    assert everything[-1] == "2 proposals"
    assert rejected[0].startswith(f"{first}  rejected")
    assert max(map(len, opened + everything)) <= 80


def test_texts_of_a_customer_cannot_act_on_a_terminal(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.tamper("UPDATE proposals SET rule = ?", "W7\x1b[31m")
    counter.tamper("UPDATE texts SET text = ? WHERE kind = 'draft'", "hi \x1b]0;x\x07 there")

    assert "\x1b" not in counter.cli("proposals", "show", proposal_id).stdout


def test_expire_ends_what_nobody_decided(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.tamper("UPDATE proposals SET created_us = 1, expires_us = 2")
    done = counter.cli("proposals", "expire")

    assert done.exit_code == 0
    assert f"{proposal_id} is expired" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 proposal expired"
    assert counter.state(proposal_id) is ProposalState.EXPIRED
    assert counter.cli("proposals", "expire").stdout == "0 proposals expired\n"


def test_the_journal_and_the_proposal_are_kept_in_one_file(counter: Counter) -> None:
    counter.propose()
    with counter.db() as db:
        kept = rows(db, "SELECT (SELECT count(*) FROM runs) r, (SELECT count(*) FROM proposals) p")

    assert kept == [{"r": 1, "p": 1}]
