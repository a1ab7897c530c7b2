"""Two processes of the bot over one store: Slack sends each thing to one of them, in turn."""

from __future__ import annotations

from pathlib import Path

from tests.scenarios.killing import beside, ward, wrongs
from tests.scenarios.office import BEN

MANY = 50


def test_case_65_fifty_tickets_and_fifty_presses_over_two_processes_are_each_done_once(
    tmp_path: Path,
) -> None:
    """Case 65: a payload goes to one of two sockets, and only one process runs the jobs."""
    with ward(tmp_path, orders=MANY) as opened:
        with beside(opened):
            for _ in range(MANY):
                opened.post()
            opened.finish()
            assert opened.place.workspace.sockets.count == 2
        opened.stop()

        assert opened.deaths == 0
        assert [len(each.presses) for each in opened.tickets] == [1] * MANY
        assert wrongs(opened) == []
        assert opened.place.workspace.ephemerals(BEN) == []  # no press came second
