"""The desk: everything of the bot in one process, put together in one place.

Every process has the gate, takes messages in and decides; the one that holds the serve lock also
runs, executes and posts (``bot.slack.serving``).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final, Self
from uuid import uuid4

from sqlite_utils import Database

from approvals import Decisions, Executor, Operations, Policy, Proposals, Revisions
from approvals.store import Handler, Job, Jobs, JobServer, ServeLock, Writer
from bot.now import now_us as wall_us
from bot.plan import Plan
from bot.settings import Settings
from bot.shops import Gateways, open_gateways, open_kept_shop
from bot.slack.access import Access
from bot.slack.calls import Calls, web_client
from bot.slack.cards import card_sent
from bot.slack.catch_up import CatchUp
from bot.slack.commands import Commands
from bot.slack.decider import Decider
from bot.slack.digest import Digest
from bot.slack.drafts import draw_draft
from bot.slack.follow import Follower
from bot.slack.gate import Gate
from bot.slack.home import Home
from bot.slack.identity import ask_identity
from bot.slack.intake import Intake
from bot.slack.modals import OPEN_TIMEOUT_S, Modals
from bot.slack.outbox import PostRow
from bot.slack.people import People
from bot.slack.poster import Poster
from bot.slack.proposal_forms import proposal_fillers
from bot.slack.proposal_presses import ProposalPresses
from bot.slack.reader import Reader
from bot.slack.reception import Reception
from bot.slack.run_forms import run_fillers
from bot.slack.run_presses import RunPresses
from bot.slack.serving import Serving, Staff
from bot.slack.steady import Steady, Step
from bot.slack.take_in import TakeIn
from bot.slack.threads import Caps, thread_sent
from bot.slack.ticket_presses import TicketPresses
from bot.slack.tickets import TRIAGE_JOB
from bot.slack.upkeep import Upkeep
from bot.slack.work import Play, TicketWork
from bot.store import open_store
from bot.supplies import Supplies, open_supplies
from loop import Clock, Model, VirtualClock
from recordings import ReplayModel
from tools import Action, check_action, open_view

__all__ = ["Desk", "Outside", "replayed"]

DECIDERS: Final = 2
"""Threads that take presses: one that waits for Slack must not keep the next waiting."""
_log: Final = logging.getLogger("handrail.slack")


def replayed(plan: Plan) -> tuple[Model, Clock]:
    """Return the recorded model of a plan, timed by what was recorded."""
    clock = VirtualClock()
    return ReplayModel(plan.recordings, match=plan.match, clock=clock), clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What the desk takes from the outside.

    Attributes:
        play: makes the model of a run.
        now_us: microseconds since 1970.
        new_owner: names this process in claims, another name for each process.
    """

    play: Play = replayed
    now_us: Callable[[], int] = wall_us
    new_owner: Callable[[], str] = lambda: f"slack-{uuid4().hex}"


class Desk:
    """One process's part in the bot. Opened by ``Desk.open``, then started and stopped once."""

    def __init__(
        self,
        *,
        gate: Gate,
        catch_up: CatchUp,
        stack: ExitStack,
        loops: list[Steady],
        serving: Serving,
    ) -> None:
        self.gate = gate
        self.catch_up = catch_up
        self._stack = stack
        self._loops = loops
        self._serving = serving

    @classmethod
    def open(
        cls,
        settings: Settings,
        token: str,
        *,
        whole_app: bool,
        outside: Outside | None = None,
    ) -> Self:
        """Open the store, the shop and the way to Slack. Nothing runs yet.

        Args:
            settings: of everything.
            token: the bot's.
            whole_app: the app is ours alone, and not a team's that we are attached to.
            outside: the model, the clock and ids.

        Raises:
            SlackUnreachable: Slack does not know the token, or did not answer.
            StoreError, ToolsError, RecordingUnreadable, PolicyRefused: a part cannot be opened.
        """
        with ExitStack() as stack:
            parts = _Parts(settings, token, stack, outside or Outside())
            gate = parts.gate(whole_app=whole_app)
            catch_up, loops = parts.catch_up(gate), parts.loops()
            return cls(
                gate=gate,
                catch_up=catch_up,
                stack=stack.pop_all(),
                loops=loops,
                serving=Serving(parts.lock, parts.hire),
            )

    def start(self) -> None:
        """Take messages in, decide, and try for the lock."""
        for loop in self._loops:
            loop.start()
        self._serving.start()

    def stop(self) -> None:
        """Finish what was begun, and close everything. What was stored and not done stays."""
        for loop in self._loops:
            loop.stop()
        self._serving.stop()
        self._stack.close()

    @property
    def holds_lock(self) -> bool:
        """Whether this process runs the jobs of the store."""
        return self._serving.holds_lock


class _Parts:
    """The parts of one desk, each made once, by what it needs."""

    def __init__(self, settings: Settings, token: str, stack: ExitStack, outside: Outside) -> None:
        self._settings = settings
        self._outside = outside
        self._now_us = outside.now_us
        self._jobs = Jobs()
        self.lock = ServeLock(settings.store)
        self._policy: Policy = settings.policy()
        self._proposals = Proposals(self._policy)
        self._calls = Calls(web_client(token, api=settings.slack.api))
        self._us = ask_identity(self._calls)
        stack.enter_context(open_store(settings.store))
        self._writer = stack.enter_context(Writer(settings.store))
        self._supplies: Supplies = stack.enter_context(
            open_supplies(
                open_shop=lambda: open_kept_shop(settings),
                data=settings.data,
                recordings=settings.recordings,
                prices=settings.prices(),
            )
        )
        self._gateways: Gateways = stack.enter_context(open_gateways(settings))
        self._people = People(
            self._calls,
            team_id=self._us.team_id or "",
            groups={group for role in self._policy.roles for group in role.groups},
            now_us=self._now_us,
        )
        self._access = Access(self._people, settings.slack)
        self._caps = Caps(
            runs_per_hour=settings.slack.max_runs_per_hour,
            cost_per_day=settings.slack.max_cost_per_day,
        )
        self._intake = Intake(
            self._us,
            channels=settings.slack.channels,
            apps=settings.slack.apps,
            forms=self._supplies.shop.ids,
        )
        self._tickets = TicketPresses(
            self._calls,
            jobs=self._jobs,
            channels=settings.slack.channels,
            forms=self._supplies.shop.ids,
            now_us=self._now_us,
        )
        self._forms = Modals(
            Calls(web_client(token, api=settings.slack.api, timeout_s=OPEN_TIMEOUT_S)),
            store=settings.store,
            access=self._access,
            fillers={
                **proposal_fillers(self._policy, practice_shop=self._gateways.practice_shop),
                **run_fillers(),
                **self._tickets.fillers(),
            },
            ids=self._supplies.shop.ids,
            writer=self._writer,
            now_us=self._now_us,
        )
        stack.callback(self._forms.close)

    def gate(self, *, whole_app: bool) -> Gate:
        return Gate(
            intake=self._intake,
            forms=self._forms,
            writer=self._writer,
            now_us=self._now_us,
            whole_app=whole_app,
        )

    def catch_up(self, gate: Gate) -> CatchUp:
        return CatchUp(
            self._calls,
            gate,
            channels=self._settings.slack.channels,
            store=self._settings.store,
            writer=self._writer,
            now_us=self._now_us,
        )

    def loops(self) -> list[Steady]:
        """Return what every process does."""
        reader = Reader(
            self._intake,
            kind_of=self._people.kind_of,
            jobs=self._jobs,
            proposals=self._proposals,
            now_us=self._now_us,
        )
        taking_in = TakeIn(reader, writer=self._writer, now_us=self._now_us)
        home = Home(self._calls, access=self._access, policy=self._policy, now_us=self._now_us)
        commands = Commands(access=self._access, policy=self._policy, now_us=self._now_us)
        reception = Reception(home, commands, writer=self._writer, now_us=self._now_us)
        decider = Decider(
            access=self._access,
            handlers={
                **self._proposal_presses().handlers(),
                **RunPresses(jobs=self._jobs, now_us=self._now_us).handlers(),
                **self._tickets.handlers(),
            },
            policy=self._policy,
            writer=self._writer,
            now_us=self._now_us,
            after_home=home.publish,
        )
        deciders = [self._steady(f"decider-{n}", decider.step) for n in range(DECIDERS)]
        return [
            self._steady("taking-in", taking_in.step),
            self._steady("reception", reception.step),
            *deciders,
        ]

    def hire(self) -> Staff:
        """Return what the holder of the lock does besides."""
        owner = self._outside.new_owner()
        executor = Executor(
            operations=Operations(self._policy),
            jobs=self._jobs,
            shop=self._supplies.shop,
            gateways=self._gateways.by_name(),
            writer=self._writer,
            owner=owner,
            now_us=self._now_us,
        )
        follower = Follower(
            self._policy, writer=self._writer, now_us=self._now_us, on_change=draw_draft
        )
        return Staff(
            store=self._settings.store,
            executor=executor,
            money=self._server(executor.handlers(), owner),
            runs=self._server({TRIAGE_JOB: self._work().handle}, owner),
            workers=self._settings.slack.workers,
            follower=follower,
            loops=[
                self._steady("poster", self._poster().step),
                self._steady("follower", follower.step),
                self._steady("upkeep", self._upkeep().step),
                self._steady("digest", self._digest().step),
            ],
        )

    def _work(self) -> TicketWork:
        return TicketWork(
            self._settings,
            self._supplies,
            play=self._outside.play,
            jobs=self._jobs,
            proposals=self._proposals,
            caps=self._caps,
            now_us=self._now_us,
        )

    def _poster(self) -> Poster:
        return Poster(
            self._calls, self._us, writer=self._writer, now_us=self._now_us, on_sent=_note_sent
        )

    def _upkeep(self) -> Upkeep:
        return Upkeep(
            self._proposals,
            jobs=self._jobs,
            caps=self._caps,
            writer=self._writer,
            now_us=self._now_us,
        )

    def _digest(self) -> Digest:
        return Digest(self._settings.slack.channels, writer=self._writer, now_us=self._now_us)

    def _proposal_presses(self) -> ProposalPresses:
        practice_shop = self._gateways.practice_shop
        return ProposalPresses(
            decisions=Decisions(self._policy, self._gateways.executes(self._jobs)),
            revisions=Revisions(self._policy, self._proposals, practice_shop=practice_shop),
            check=self._check,
            now_us=self._now_us,
        )

    def _check(self, customer_id: str, action: Action) -> None:
        check_action(open_view(self._supplies.shop, customer_id), action)

    def _server(self, handlers: Mapping[str, Handler], owner: str) -> JobServer:
        return JobServer(
            self._settings.store,
            jobs=self._jobs,
            handlers=handlers,
            lock=self.lock,
            writer=self._writer,
            owner=owner,
            now_us=self._now_us,
            on_failure=_note_failure,
        )

    def _steady(self, name: str, step: Step) -> Steady:
        return Steady(name, self._settings.store, step, now_us=self._now_us)


def _note_sent(db: Database, row: PostRow, ts: str) -> None:
    card_sent(db, row, ts)
    thread_sent(db, row.key, ts)


def _note_failure(job: Job, error: Exception) -> None:
    _log.error("job %s %s failed at attempt %s", job.kind, job.key, job.attempt, exc_info=error)
