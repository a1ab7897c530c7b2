"""The parts of the bot in one process, put together in this one place."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Final

from sqlite_utils import Database

from approvals import Decisions, Executor, Operations, Proposals, Revisions
from approvals.store import Handler, Job, Jobs, JobServer, ServeLock, Writer
from bot.models import opened_models
from bot.places import environment
from bot.recorder import Recorder
from bot.settings import Settings
from bot.shops import open_gateways, open_kept_shop
from bot.slack.access import Access
from bot.slack.calls import Calls, web_client
from bot.slack.cap_news import CapNews
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
from bot.slack.keeping import Keeping
from bot.slack.letter_presses import LetterPresses
from bot.slack.messages import Messages
from bot.slack.modals import OPEN_TIMEOUT_S, Modals
from bot.slack.outside import Outside
from bot.slack.people import People
from bot.slack.poster import Poster
from bot.slack.proposal_forms import proposal_fillers
from bot.slack.proposal_presses import ProposalPresses
from bot.slack.reader import Reader
from bot.slack.reception import Reception
from bot.slack.reminders import Reminders
from bot.slack.run_forms import run_fillers
from bot.slack.run_presses import RunPresses
from bot.slack.serving import Staff
from bot.slack.steady import Steady, Step
from bot.slack.store.cards import card_sent
from bot.slack.store.posts import PostRow
from bot.slack.store.threads import Caps, thread_sent
from bot.slack.store.tickets import TRIAGE_JOB
from bot.slack.take_in import TakeIn
from bot.slack.taking import Taker, Taking
from bot.slack.ticket_presses import TicketPresses
from bot.slack.troubles import Troubles
from bot.slack.upkeep import Upkeep
from bot.slack.work import TicketWork
from bot.store import open_store
from bot.supplies import open_supplies
from tools import Action, check_action, open_view

__all__ = ["Parts"]

DECIDERS: Final = 2
"""Threads that take presses: one that waits for Slack must not keep the next waiting."""
_log: Final = logging.getLogger("handrail.slack")


class Parts:
    """What one process consists of. Everything that was opened is closed by the stack.

    Args:
        settings: of everything.
        token: the bot's.
        stack: closes what is opened here.
        outside: the model, the clock and a name.

    Raises:
        SlackUnreachable: Slack does not know the token, or did not answer.
        StoreError, ToolsError, RecordingUnreadable, PolicyRefused: a part cannot be opened.
        SettingRefused: the model that is to be asked has no server, or one that cannot be used.
    """

    def __init__(self, settings: Settings, token: str, stack: ExitStack, outside: Outside) -> None:
        self._settings = settings
        self._token = token
        self._outside = outside
        self._now_us = outside.now_us
        self._policy = settings.policy()
        self._proposals = Proposals(self._policy)
        self._jobs = Jobs()
        self.troubles = Troubles()
        self._calls = Calls(web_client(token, api=settings.slack.api))
        self._us = ask_identity(self._calls)
        self._messages = Messages(self._calls, self.troubles)
        self.lock = ServeLock(settings.store)
        stack.enter_context(open_store(settings.store))
        self._writer = stack.enter_context(Writer(settings.store))
        self._supplies = stack.enter_context(
            open_supplies(
                open_shop=lambda: open_kept_shop(settings),
                data=settings.data,
                recordings=settings.recordings,
                prices=settings.prices(),
            )
        )
        self._models = stack.enter_context(opened_models(settings, environment()))
        if settings.live:
            self._models.live(settings.model)  # what is wrong with it is told at the start
        self._recorder = None if settings.record is None else Recorder(settings.record)
        self._gateways = outside.gateways(stack.enter_context(open_gateways(settings)))
        self._access = Access(self._open_people(), settings.slack)
        self._intake = Intake(
            self._us,
            channels=settings.slack.channels,
            apps=settings.slack.apps,
            forms=self._supplies.shop.ids,
        )
        self._caps = Caps(
            runs_per_hour=settings.slack.max_runs_per_hour,
            cost_per_day=settings.slack.max_cost_per_day,
        )
        self._ticket_presses = TicketPresses(
            self._messages,
            jobs=self._jobs,
            channels=settings.slack.channels,
            forms=self._supplies.shop.ids,
            now_us=self._now_us,
        )
        self._letter_presses = LetterPresses(jobs=self._jobs, now_us=self._now_us)
        self._modals = self._open_modals()
        stack.callback(self._modals.close)

    def gate(self, *, whole_app: bool) -> Gate:
        """Return what stands in front of an app's listeners."""
        return Gate(
            intake=self._intake,
            forms=self._modals,
            writer=self._writer,
            now_us=self._now_us,
            whole_app=whole_app,
        )

    def catch_up(self, gate: Gate) -> CatchUp:
        """Return what reads the channels after a gap."""
        return CatchUp(
            self._calls,
            gate,
            channels=self._settings.slack.channels,
            store=self._settings.store,
            writer=self._writer,
            now_us=self._now_us,
            troubles=self.troubles,
        )

    def loops(self) -> list[Steady]:
        """Return what every process does: it takes in and decides."""
        home = Home(self._calls, access=self._access, policy=self._policy, now_us=self._now_us)
        decider = self._decider(home)
        return [
            self._steady("taking-in", self._taking(self._take_in())),
            self._steady("reception", self._taking(self._reception(home))),
            *(self._steady(f"decider-{n}", decider.step) for n in range(DECIDERS)),
        ]

    def hire(self, besides: Mapping[str, Step]) -> Staff:
        """Return what the holder of the serve lock does besides, with some more steps by name."""
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
        steps = {
            "poster": self._poster().step,
            "follower": follower.step,
            "upkeep": self._upkeep().step,
            "cap-news": self._cap_news().step,
            "digest": self._digest().step,
            "reminders": self._reminders().step,
            **self._keeping(),
            **besides,
        }
        return Staff(
            store=self._settings.store,
            executor=executor,
            money=self._server(executor.handlers(), owner),
            runs=self._server({TRIAGE_JOB: self._work().handle}, owner),
            workers=self._settings.slack.workers,
            follower=follower,
            loops=[self._steady(name, step) for name, step in steps.items()],
        )

    def _open_people(self) -> People:
        self._people = People(
            self._calls,
            team_id=self._us.team_id or "",
            groups=self._policy.groups,
            now_us=self._now_us,
            troubles=self.troubles,
        )
        return self._people

    def _open_modals(self) -> Modals:
        fillers = {
            **proposal_fillers(self._policy, practice_shop=self._gateways.practice_shop),
            **run_fillers(),
            **self._ticket_presses.fillers(),
        }
        return Modals(
            Calls(web_client(self._token, api=self._settings.slack.api, timeout_s=OPEN_TIMEOUT_S)),
            store=self._settings.store,
            access=self._access,
            fillers=fillers,
            ids=self._supplies.shop.ids,
            writer=self._writer,
            now_us=self._now_us,
        )

    def _take_in(self) -> TakeIn:
        reader = Reader(
            self._intake,
            kind_of=self._people.kind_of,
            message_of=self._messages.read,
            jobs=self._jobs,
            proposals=self._proposals,
            now_us=self._now_us,
        )
        return TakeIn(reader, now_us=self._now_us, troubles=self.troubles)

    def _reception(self, home: Home) -> Reception:
        commands = Commands(
            access=self._access,
            policy=self._policy,
            letters=self._letter_presses,
            now_us=self._now_us,
        )
        return Reception(home, commands, now_us=self._now_us)

    def _taking(self, taker: Taker) -> Step:
        taking = Taking(taker, writer=self._writer, now_us=self._now_us)
        return taking.step

    def _decider(self, home: Home) -> Decider:
        practice_shop = self._gateways.practice_shop
        proposals = ProposalPresses(
            decisions=Decisions(self._policy, self._gateways.executes(self._jobs)),
            revisions=Revisions(self._policy, self._proposals, practice_shop=practice_shop),
            check=self._check,
            now_us=self._now_us,
        )
        runs = RunPresses(jobs=self._jobs, forms=self._supplies.shop.ids, now_us=self._now_us)
        return Decider(
            access=self._access,
            handlers={
                **proposals.handlers(),
                **runs.handlers(),
                **self._ticket_presses.handlers(),
                **self._letter_presses.handlers(),
            },
            policy=self._policy,
            writer=self._writer,
            now_us=self._now_us,
            after_home=home.publish,
        )

    def _work(self) -> TicketWork:
        return TicketWork(
            self._settings,
            self._supplies,
            play=self._outside.play or self._models.play,
            records=self._recorder is not None,
            jobs=self._jobs,
            proposals=self._proposals,
            caps=self._caps,
            now_us=self._now_us,
        )

    def _poster(self) -> Poster:
        return Poster(
            self._calls,
            self._us,
            writer=self._writer,
            now_us=self._now_us,
            troubles=self.troubles,
            on_sent=_note_sent,
        )

    def _keeping(self) -> dict[str, Step]:
        """Return what writes recordings, by its name, where they are to be written."""
        if self._recorder is None:
            return {}
        keeping = Keeping(
            self._recorder, writer=self._writer, troubles=self.troubles, now_us=self._now_us
        )
        return {"recordings": keeping.step}

    def _upkeep(self) -> Upkeep:
        return Upkeep(
            self._proposals,
            jobs=self._jobs,
            caps=self._caps,
            writer=self._writer,
            now_us=self._now_us,
        )

    def _cap_news(self) -> CapNews:
        return CapNews(
            self._settings.slack.operators,
            members_of=self._people.members_of,
            writer=self._writer,
            now_us=self._now_us,
            troubles=self.troubles,
        )

    def _reminders(self) -> Reminders:
        return Reminders(
            self._settings.slack.remind_before_hours,
            policy=self._policy,
            writer=self._writer,
            now_us=self._now_us,
        )

    def _digest(self) -> Digest:
        return Digest(self._settings.slack.channels, writer=self._writer, now_us=self._now_us)

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
