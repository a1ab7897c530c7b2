"""Killed at any moment: no acknowledged ticket without its final message, and nothing twice.

What counts is what the workspace received and what the shop carried out; see
``tests.scenarios.killing``.
"""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from approvals import verify_audit
from tests.scenarios.killing import (
    Ticket,
    Ward,
    a_death_of_each_kind,
    at_random,
    commits,
    die_at,
    die_under_changes,
    learn,
    ward,
    wrongs,
)

KINDS = {
    "inbox",  # the event, and the press
    "inbox jobs tickets",  # the ticket is taken in
    "held outbox spending threads",  # its run begins
    "journal",
    "asked_by audit jobs journal outbox proposals requesters runs spending texts threads",  # end
    "outbox",  # before a call of Slack, and behind it
    "outbox threads",  # the draft is posted
    "cards cursor outbox",  # the card follows
    "cards outbox",  # it is posted
    "audit decisions inbox jobs operations proposals",  # the decision
    "refunds writes",  # at the shop
    "audit operations proposals",  # what came of it
    "jobs",
}
"""What is committed on a ticket's way, whatever the order in which the threads come."""
KINDS_OF_A_CHANGE = {
    "inbox jobs replies tickets",  # a follow-up behind the end of a run
    "held outbox replies spending threads",  # the run that reads it begins
    "asked_by jobs journal outbox requesters runs spending threads",  # and asks for the same again
    "jobs journal outbox runs spending threads",  # a run ends as its ticket was changed
}
CHANGES = [(Ticket.edit, Ticket.follow_up), (Ticket.follow_up, Ticket.edit)]
"""While the first run is under way, and behind an answer."""


def judge(opened: Ward) -> None:
    """End the bot as an operator does, and hold what it left against what must be."""
    opened.stop()
    assert wrongs(opened) == []
    with opened.place.store() as db:
        verify_audit(db)


def die_of_each_kind(folder: Path, *, behind: bool) -> set[str]:
    """Be killed at commits of each kind, judge, and return the kinds."""
    folder.mkdir()
    with ward(folder, orders=60) as opened:
        for death in a_death_of_each_kind(learn(opened), behind=behind):
            die_at(opened, [death])
        judge(opened)
    return {each["commit"] for each in commits(folder) if each["killed"]}


def test_a_kill_before_or_behind_a_commit_of_any_kind_loses_nothing_and_does_nothing_twice(
    tmp_path: Path,
) -> None:
    with ThreadPoolExecutor() as pool:  # each waits for processes most of the time
        before = pool.submit(die_of_each_kind, tmp_path / "before", behind=False)
        behind = pool.submit(die_of_each_kind, tmp_path / "behind", behind=True)

    assert before.result() >= KINDS
    assert behind.result() >= KINDS


def change_and_die(folder: Path, *, behind: bool) -> set[str]:
    """Be killed at commits of each kind on the way of changes, judge, and return the kinds."""
    folder.mkdir()
    with ward(folder, orders=60) as opened:
        die_under_changes(opened, CHANGES, behind=behind)
        judge(opened)
    return {each["commit"] for each in commits(folder) if each["killed"]}


def test_a_kill_on_the_way_of_an_edit_or_a_follow_up_leaves_each_answered_once(
    tmp_path: Path,
) -> None:
    with ThreadPoolExecutor() as pool:
        before = pool.submit(change_and_die, tmp_path / "before", behind=False)
        behind = pool.submit(change_and_die, tmp_path / "behind", behind=True)

    assert before.result() >= KINDS_OF_A_CHANGE
    assert behind.result() >= KINDS_OF_A_CHANGE


def test_kills_at_random_instants_under_several_tickets_and_presses_lose_nothing(
    tmp_path: Path,
) -> None:
    with ward(tmp_path, orders=8) as opened:
        at_random(opened, kills=6, tickets=8, chance=random.Random(1))
        judge(opened)

    assert opened.deaths >= 6
    assert len(opened.tickets) >= 6
