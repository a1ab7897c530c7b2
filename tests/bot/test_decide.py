"""Approving, rejecting, executing and settling at the command line: good ways and refusals."""

from __future__ import annotations

import getpass
import json
import os
import socket
import stat

import pytest

from approvals import Asked, Proposals, ProposalState, read_proposal, signatures_of
from approvals.forms import actions_text
from approvals.store import ServeLock, rows, tx
from bot.now import now_us
from tests.bot.approving import POLICY, Counter, words
from tools import RequestRefund, action_from_dict, action_to_dict


def reference(counter: Counter) -> str:
    (change,) = counter.changes()
    return change.reference


def test_approving_carries_it_out_once_and_says_what_was_done(counter: Counter) -> None:
    proposal_id = counter.propose()
    done = counter.approve(proposal_id, "UANN", "--reason", "seen both charges")
    text = words(done)

    assert done.exit_code == 0
    assert f"approve {proposal_id}, version 1" in text
    assert f"— done, {reference(counter)}" in text
    assert counter.state(proposal_id) is ProposalState.DONE
    with counter.db() as db:
        (proposal,) = counter.proposals()
        (signature,) = signatures_of(db, proposal)
    assert signature.user_id == "UANN"
    assert signature.via == f"command line {getpass.getuser()}@{socket.gethostname()}"


def test_changes_lists_what_was_done_and_counts(counter: Counter) -> None:
    before = counter.cli("changes")
    proposal_id = counter.propose()
    counter.approve(proposal_id)
    lines = counter.cli("changes").stdout.splitlines()

    assert before.stdout == "0 changes\n"
    assert lines[-1] == "1 change"
    for part in (f"{proposal_id}-1", reference(counter), "request_refund LK-739156", "37.45"):
        assert part in lines[0]


def test_two_actions_are_carried_out_in_order(counter: Counter) -> None:
    proposal_id = counter.propose("T-90103")
    done = counter.approve(proposal_id)

    assert done.exit_code == 0
    assert [change.tool for change in counter.changes()] == ["reship_item", "create_return_label"]


def test_the_loser_learns_who_won(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.approve(proposal_id)
    again = counter.approve(proposal_id, "UART")
    rejected = counter.cli("proposals", "reject", proposal_id, "--as", "UART", "--reason", "no")

    for late in (again, rejected):
        assert late.exit_code == 1
        assert f"proposal {proposal_id} is done (UANN, " in late.stderr
    assert len(counter.changes()) == 1


def test_rejecting_keeps_the_reason_and_blocks_until_it_is_reopened(counter: Counter) -> None:
    proposal_id = counter.propose()
    done = counter.cli("proposals", "reject", proposal_id, "--as", "UANN", "--reason", "it arrived")
    blocked = counter.cli("run", "T-64872")
    reopened = counter.cli("proposals", "reopen", proposal_id, "--as", "UANN")
    new = reopened.stdout.split()[0]

    assert done.exit_code == 0
    assert "rejected by UANN" in words(done)
    assert "reason it arrived" in words(counter.cli("proposals", "show", proposal_id))
    assert f"handrail proposals reopen {proposal_id} asks again" in words(blocked)
    assert reopened.exit_code == 0
    assert new != proposal_id
    assert counter.approve(new).exit_code == 0
    assert counter.changes() != ()


def test_a_reason_is_needed_to_reject(counter: Counter) -> None:
    proposal_id = counter.propose()
    without = counter.cli("proposals", "reject", proposal_id, "--as", "UANN")
    blank = counter.cli("proposals", "reject", proposal_id, "--as", "UANN", "--reason", "  ")

    assert (without.exit_code, blank.exit_code) == (2, 1)
    assert "--reason" in without.stderr
    assert "needs a reason" in blank.stderr
    assert counter.state(proposal_id) is ProposalState.WAITING


def test_an_unknown_proposal_is_wrong_use(counter: Counter) -> None:
    counter.propose()
    for args in (
        ["show", "P-222-222"],
        ["approve", "P-222-222", "--as", "UANN"],
        ["reject", "P-222-222", "--as", "UANN", "--reason", "x"],
        ["execute", "nothing-like-it"],
        ["reopen", "P-222-222", "--as", "UANN"],
        ["again", "P-222-222", "--as", "UANN"],
        ["settle", "P-222-222-1", "--outcome", "done", "--as", "UANN", "--reason", "x"],
    ):
        done = counter.cli("proposals", *args)
        assert done.exit_code == 2, args
        assert "there is no " in done.stderr


def test_an_unknown_user_is_refused(counter: Counter) -> None:
    proposal_id = counter.propose()
    done = counter.approve(proposal_id, "UNOBODY")

    assert done.exit_code == 1
    assert "UNOBODY is not listed in the approvals table" in done.stderr
    assert counter.changes() == ()


def test_b66_a_role_that_is_too_low_is_refused_and_the_needed_one_named(counter: Counter) -> None:
    proposal_id = counter.propose("T-65273")
    low = counter.approve(proposal_id, "UANN")
    high = counter.approve(proposal_id, "ULEA")

    assert low.exit_code == 1
    assert "119.00 CAD counts here, which needs team_lead" in low.stderr
    assert high.exit_code == 0
    assert len(counter.changes()) == 1


def test_the_command_line_may_be_shut(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.write_policy(POLICY.replace('"CAD"', '"CAD"\ncommand_line = "deny"', 1))
    done = counter.approve(proposal_id)

    assert done.exit_code == 1
    assert "the command line may not decide here" in done.stderr
    assert counter.state(proposal_id) is ProposalState.WAITING


def test_real_refunds_shut_the_command_line_also_before_the_practice_shop(
    counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal_id = counter.propose()
    counter.write_policy('[refunds]\ngateway = "stripe"\n' + POLICY)
    monkeypatch.setenv("STRIPE_API_KEY", "rk_made_up")
    done = counter.approve(proposal_id)

    assert done.exit_code == 1
    assert "the command line may not decide here" in done.stderr


def test_two_people_sign_one_after_the_other(counter: Counter) -> None:
    counter.write_policy(POLICY.replace('"CAD"', '"CAD"\ntwo_people_above = "10.00"', 1))
    proposal_id = counter.propose()
    shown = words(counter.cli("proposals", "show", proposal_id))
    first = counter.approve(proposal_id)
    twice = counter.approve(proposal_id)
    second = counter.approve(proposal_id, "UART")

    assert "2 different people" in shown
    assert first.exit_code == 0
    assert "signed; one more person has to sign for 37.45 CAD" in first.stdout
    assert twice.exit_code == 1
    assert "UANN has signed; a second person has to" in twice.stderr
    assert second.exit_code == 0
    assert len(counter.changes()) == 1


def test_a_decision_that_comes_too_late_expires_it(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.tamper("UPDATE proposals SET created_us = 1, expires_us = 2")
    done = counter.approve(proposal_id)

    assert done.exit_code == 1
    assert "the decision was not taken" in done.stderr
    assert counter.state(proposal_id) is ProposalState.EXPIRED


def test_another_version_than_the_one_that_stands_is_refused(counter: Counter) -> None:
    proposal_id = counter.propose()
    done = counter.approve(proposal_id, "UANN", "--version", "2")

    assert done.exit_code == 1
    assert "version 2 was shown, version 1 stands now" in done.stderr
    assert counter.changes() == ()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE proposals SET actions = replace(actions, '3745', '3746')",
        "UPDATE proposals SET customer_id = 'C-10507'",
        "UPDATE proposals SET actions = '[]'",
    ],
)
def test_facts_that_were_tampered_with_are_refused(counter: Counter, sql: str) -> None:
    proposal_id = counter.propose()
    counter.tamper(sql)
    done = counter.approve(proposal_id)

    assert done.exit_code == 1
    assert f"facts of proposal {proposal_id} are not those that were written" in done.stderr
    assert counter.changes() == ()


def test_an_action_that_was_changed_after_the_approval_is_not_sent(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.decide(proposal_id)
    counter.tamper("UPDATE operations SET request = CAST(request || ' ' AS BLOB)")
    done = counter.cli("proposals", "execute", proposal_id)

    assert done.exit_code == 1
    assert counter.state(proposal_id) is ProposalState.FAILED
    assert counter.changes() == ()


def test_more_than_is_left_is_refused_by_the_shop_and_nothing_is_done(counter: Counter) -> None:
    proposal_id = counter.propose("T-65273")
    _rewrite(counter, proposal_id, amount_minor=50_000)
    done = counter.approve(proposal_id, "UHED")

    assert done.exit_code == 1
    assert "is left to refund" in words(done)
    assert counter.state(proposal_id) is ProposalState.FAILED
    assert counter.changes() == ()
    assert counter.cli("proposals", "again", proposal_id, "--as", "UHED").exit_code == 0


def test_another_currency_needs_a_role_without_a_limit_and_the_shop_refuses_it(
    counter: Counter,
) -> None:
    proposal_id = counter.propose("T-65273")
    _rewrite(counter, proposal_id, currency="EUR")
    lead = counter.approve(proposal_id, "ULEA")
    head = counter.approve(proposal_id, "UHED")

    assert lead.exit_code == 1
    assert "more that no limit covers counts here, which needs head" in lead.stderr
    assert head.exit_code == 1
    assert "the order's currency is CAD" in words(head)
    assert counter.changes() == ()


def test_a_second_one_needs_its_explicit_yes(counter: Counter) -> None:
    """B98: the same fee asked for from a second ticket."""
    first = counter.propose("T-90104")
    counter.approve(first)
    second = _copied_to_another_ticket(counter, first)
    shown = words(counter.cli("proposals", "show", second))
    refused = counter.approve(second)
    agreed = counter.approve(second, "UANN", "--second")

    assert "done before: 9.95 CAD was carried out, approved by UANN" in shown
    assert refused.exit_code == 1
    assert f"({first}-1)" in refused.stderr
    assert "hint: --second says yes to a second one" in refused.stderr
    assert agreed.exit_code == 0
    assert len(counter.changes()) == 2


def test_while_another_process_holds_the_lock_it_is_queued(counter: Counter) -> None:
    proposal_id = counter.propose()
    with ServeLock(counter.store):
        done = counter.approve(proposal_id, "UANN", "--wait", "0")
    text = words(done)

    assert done.exit_code == 0
    assert f"process {os.getpid()} serves this store" in text
    assert "queued, nothing was sent yet" in text
    assert counter.changes() == ()
    executed = counter.cli("proposals", "execute")
    assert executed.exit_code == 0
    assert len(counter.changes()) == 1
    assert counter.cli("proposals", "execute").stdout == "0 proposals\n"


def test_what_was_carried_out_here_leaves_no_job_for_a_server(counter: Counter) -> None:
    counter.approve(counter.propose())
    with counter.db() as db:
        assert rows(db, "SELECT state FROM jobs") == [{"state": "cancelled"}]


def test_an_unknown_operation_is_settled_by_a_person_with_a_reason(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.decide(proposal_id)
    counter.tamper(
        "UPDATE operations SET state = 'unknown', attempt = 1, first_attempt_us = 1,"
        " last_attempt_us = 1, gateway = 'gone'"
    )
    counter.tamper("UPDATE proposals SET state = 'unknown'")
    shown = words(counter.cli("proposals", "show", proposal_id))
    asked = counter.cli("reconcile")
    settled = counter.cli(
        "proposals", "settle", f"{proposal_id}-1", "--outcome", "failed",
        "--as", "UANN", "--reason", "not in the ledger",
    )  # fmt: skip

    assert "the shop cannot say whether it was done" in shown
    assert "Nothing has happened yet" not in shown
    assert "unknown and stays so" in asked.stdout
    assert settled.exit_code == 0
    assert counter.state(proposal_id) is ProposalState.FAILED
    assert counter.changes() == ()


def test_a_read_only_store_is_refused_in_words(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.store.chmod(stat.S_IRUSR)
    done = counter.approve(proposal_id)

    assert done.exit_code == 2
    assert "is read-only; make it writable for this user" in done.stderr
    assert counter.changes() == ()


def test_a_store_of_a_newer_version_is_refused_and_left_alone(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.tamper("INSERT INTO migrations VALUES ('approvals', 99, 'from the future')")
    done = counter.approve(proposal_id)

    assert done.exit_code == 1
    assert "approvals 99 (from the future)" in done.stderr
    assert counter.changes() == ()


def test_a_file_that_is_no_store_is_refused_in_words(counter: Counter) -> None:
    counter.store.parent.mkdir()
    counter.store.write_text("not a database, but longer than a header of one\n" * 200)
    done = counter.cli("proposals", "list")

    assert done.exit_code == 2
    assert "is not a SQLite database" in done.stderr


def test_a_wrong_policy_is_refused_before_anything(counter: Counter) -> None:
    counter.write_policy('[approvals]\ncurrency = "CAD"\nroles = {}\nexpiry = 1\n')
    done = counter.cli("run", "T-64872")

    assert done.exit_code == 2
    assert "handrail.toml: approvals.expiry" in done.stderr
    assert not counter.store.exists()


def _rewrite(counter: Counter, proposal_id: str, **facts: object) -> None:
    """Change an action as the program itself would have written it, digest and all."""
    with counter.db() as db:
        proposal = read_proposal(db, proposal_id)
    (action,) = proposal.actions
    new = action_from_dict({**action_to_dict(action), **facts})
    assert isinstance(new, RequestRefund)
    worth = json.dumps([{"minor": new.amount_minor, "currency": new.currency}])
    counter.tamper(
        "UPDATE proposals SET actions = ?, worth = ? WHERE proposal_id = ?",
        actions_text([new]),
        worth,
        proposal_id,
    )
    with counter.db() as db:
        digest = read_proposal(db, proposal_id).facts_digest
    counter.tamper("UPDATE proposals SET digest = ? WHERE proposal_id = ?", digest, proposal_id)


def _copied_to_another_ticket(counter: Counter, proposal_id: str) -> str:
    with counter.db() as db:
        first = read_proposal(db, proposal_id)
        asked = Asked(
            run_id="another",
            ticket_id="T-99999",
            customer_id=first.customer_id,
            actions=first.actions,
            requesters=frozenset(),
        )
        with tx(db):
            created = Proposals(counter.settings().policy()).create(db, asked, now_us=now_us())
    return created.proposal.proposal_id
