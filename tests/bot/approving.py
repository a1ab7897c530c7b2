"""A folder with a policy, and short ways to what the tests of approvals do over and over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from click.testing import Result
from sqlite_utils import Database

from approvals import Decisions, Proposal, ProposalState, list_proposals
from approvals.store import Jobs, changed, connect, tx
from bot.deciding import person_of
from bot.now import now_us
from bot.settings import Settings, load_settings
from bot.shops import open_gateways
from tools import PRACTICE_TODAY, Change, PracticeGateway

Cli = Callable[..., Result]

POLICY = """
[approvals]
currency = "CAD"
[approvals.roles.agent]
limit = "100.00"
users = ["UANN", "UART"]
[approvals.roles.team_lead]
limit = "500.00"
users = ["ULEA"]
[approvals.roles.head]
limit = "none"
users = ["UHED"]
"""


class Counter:
    """One store and its practice shop in a folder, seen from the command line."""

    def __init__(self, cli: Cli, home: Path) -> None:
        self.cli = cli
        self.home = home
        self.store = home / "store" / "handrail.sqlite3"
        self.shop_file = home / "store" / "handrail-shop.sqlite3"
        self.write_policy(POLICY)

    def write_policy(self, toml: str) -> None:
        """Put settings into the folder."""
        (self.home / "handrail.toml").write_text(toml, encoding="utf-8")

    def propose(self, ticket: str = "T-64872", *args: str) -> str:
        """Run a ticket and return the id of what it proposes."""
        ran = self.cli("run", ticket, *args)
        assert ran.exit_code == 0, ran.output
        (found,) = re.findall(r"next: handrail proposals show (P-\S+)", ran.stdout)
        return str(found)

    def approve(self, proposal_id: str, user: str = "UANN", *args: str) -> Result:
        """Approve at the command line."""
        return self.cli("proposals", "approve", proposal_id, "--as", user, *args)

    def decide(self, proposal_id: str, user: str = "UANN") -> None:
        """Approve in the store alone: nothing is carried out."""
        settings = self.settings()
        with self.db() as db, open_gateways(settings) as gateways:
            decisions = Decisions(settings.policy(), gateways.executes(Jobs()))
            with tx(db):
                decisions.approve(
                    db,
                    proposal_id=proposal_id,
                    version=1,
                    person=person_of(settings.policy(), user),
                    now_us=now_us(),
                )

    def settings(self) -> Settings:
        """Return the settings of the folder, with its own store."""
        return load_settings().model_copy(update={"store": self.store})

    @contextmanager
    def db(self) -> Iterator[Database]:
        """Open the store."""
        with closing(connect(self.store)) as db:
            yield db

    def proposals(self) -> list[Proposal]:
        """Return every proposal."""
        with self.db() as db:
            return list_proposals(db)

    def state(self, proposal_id: str) -> ProposalState:
        """Return where a proposal stands."""
        (found,) = [p.state for p in self.proposals() if p.proposal_id == proposal_id]
        return found

    def changes(self) -> tuple[Change, ...]:
        """Return what was changed in the practice shop."""
        with PracticeGateway(self.shop_file, today=lambda: PRACTICE_TODAY) as gateway:
            return gateway.changes()

    def tamper(self, sql: str, *params: Any) -> None:
        """Write to the store behind the program's back."""
        with self.db() as db, tx(db):
            changed(db, sql, params)


def words(done: Result) -> str:
    """Return what was printed, its lines joined."""
    return " ".join(done.stdout.split())
