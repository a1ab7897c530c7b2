"""A workspace with the bot's deciding half on it: gate, decider, follower, poster and executor.

Everything that Slack sends comes over a real WebSocket through Bolt, everything that the bot says
goes over real HTTP. The bot's own threads do not run: ``work`` takes their steps one by one, on a
clock that a test moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from approvals import (
    Asked,
    Decisions,
    Executes,
    Executor,
    Operations,
    Person,
    Policy,
    Proposal,
    Proposals,
    Revisions,
    read_policy,
    read_proposal,
)
from approvals.store import Job, Jobs, JobServer, ServeLock, Writer, changed, connect, migrate, tx
from bot.slack import SLACK_MIGRATIONS
from bot.slack.access import Access
from bot.slack.app import make_app
from bot.slack.calls import Calls, web_client
from bot.slack.decider import Decider
from bot.slack.follow import Follower
from bot.slack.gate import Gate
from bot.slack.intake import Intake, Us
from bot.slack.modals import Modals
from bot.slack.people import People
from bot.slack.poster import Poster
from bot.slack.proposal_forms import proposal_fillers
from bot.slack.proposal_presses import ProposalPresses
from bot.slack.refs import ActionId
from bot.slack.run_forms import run_fillers
from bot.slack.settings import SlackSecrets, SlackSettings
from bot.slack.store.cards import card_sent
from bot.slack.store.outbox import count_posts, failed_posts
from bot.slack.store.posts import PostRow, PostState
from bot.slack.troubles import Troubles
from bot.store import MIGRATIONS
from bot.workspace import Channel, Group, HeldClock, Identity, Kind, Message, User, View, Workspace
from tests.harness.sockets import connected
from tools import (
    PRACTICE_TODAY,
    SHIPPED_DATA,
    Action,
    Change,
    CreateReturnLabel,
    Gateway,
    IdForms,
    LabelReason,
    PracticeGateway,
    PracticeShop,
    RefundReason,
    RequestRefund,
    check_action,
    open_view,
)

SECOND_US = 1_000_000
START_S = 1_790_000_000
CHANNEL = "C0SUPPORT"
BOT = Identity().bot_user
ANN, ART, LEA, HED, OUT = "U0ANN", "U0ART", "U0LEA", "U0HED", "U0OUT"
GUEST, ELSE, ASKER = "U0GUEST", "U0ELSE", "U0ASKER"
ROLES: dict[str, Any] = {
    "agent": {"limit": "100.00", "users": [ANN, ASKER, GUEST, ELSE], "groups": ["S0AGENTS"]},
    "team_lead": {"limit": "500.00", "users": [LEA]},
    "head": {"limit": "none", "users": [HED]},
}
FEE = RequestRefund(
    order_id="LK-643556", amount_minor=995, currency="CAD", reason_code=RefundReason.LATE
)
"""A refund that an agent may approve."""
DOUBLE = RequestRefund(
    order_id="LK-507862",
    amount_minor=11_900,
    currency="CAD",
    reason_code=RefundReason.DOUBLE,
    payment_id="PAY-507862-2",
)
"""A refund above an agent's limit."""
LABEL = CreateReturnLabel(order_id="LK-640436", sku="PLANTER", reason=LabelReason.DAMAGED)
CUSTOMERS = {"LK-640436": "C-50533", "LK-643556": "C-53556", "LK-507862": "C-10507"}


class Bot:
    """The deciding half of one process over a store. Several may share one."""

    def __init__(self, desk: ClickDesk, stack: ExitStack, *, owner: str = "process-1") -> None:
        place, policy, now_us = desk.workspace, desk.policy, desk.now_us
        self.desk = desk
        self.db = stack.enter_context(closing(connect(desk.store)))
        self.writer = stack.enter_context(Writer(desk.store))
        me = place.identity
        us = Us(user_id=me.bot_user, bot_id=me.bot_id, app_id=me.app_id, team_id=me.team_id)
        self.calls = Calls(web_client(me.bot_token, api=place.base_url))
        settings = SlackSettings(channels=frozenset({CHANNEL}))
        people = People(
            self.calls,
            team_id=me.team_id,
            groups=policy.groups,
            now_us=now_us,
            troubles=Troubles(),
        )
        self.access = Access(people, settings)
        self.jobs = Jobs()
        gateway = desk.gateway
        executes = Executes(
            gateway=gateway.traits.name, prepare=gateway.prepare, jobs=self.jobs, practice_shop=True
        )
        presses = ProposalPresses(
            decisions=Decisions(policy, executes),
            revisions=Revisions(policy, Proposals(policy), practice_shop=True),
            check=lambda customer, action: check_action(open_view(desk.shop, customer), action),
            now_us=now_us,
        )
        self.decider = Decider(
            access=self.access,
            handlers=presses.handlers(),
            policy=policy,
            writer=self.writer,
            now_us=now_us,
        )
        self.follower = Follower(policy, writer=self.writer, now_us=now_us)
        self.poster = Poster(
            self.calls,
            us,
            writer=self.writer,
            now_us=now_us,
            troubles=Troubles(),
            on_sent=card_sent,
        )
        self.modals = Modals(
            self.calls,
            store=desk.store,
            access=self.access,
            fillers={**proposal_fillers(policy, practice_shop=True), **run_fillers()},
            ids=IdForms(),
            writer=self.writer,
            now_us=now_us,
        )
        stack.callback(self.modals.close)
        intake = Intake(us, channels=settings.channels, apps=settings.apps, forms=IdForms())
        self.gate = Gate(
            intake=intake,
            forms=self.modals,
            writer=self.writer,
            now_us=now_us,
            whole_app=True,
        )
        self.executor = Executor(
            operations=Operations(policy),
            jobs=self.jobs,
            shop=desk.shop,
            gateways={gateway.traits.name: gateway},
            writer=self.writer,
            owner=owner,
            now_us=now_us,
        )
        self._connect(stack)

    def decide(self) -> None:
        """Take the presses that are stored."""
        self.decider.step(self.db)

    def decide_apart(self) -> None:
        """Do so on another thread."""
        with closing(connect(self.desk.store)) as db:
            self.decider.step(db)

    def execute(self) -> None:
        """Carry out what was approved."""
        lock = ServeLock(self.desk.store)
        with lock:
            server = JobServer(
                self.desk.store,
                jobs=self.jobs,
                handlers=self.executor.handlers(),
                lock=lock,
                writer=self.writer,
                owner="process-1",
                now_us=self.desk.now_us,
                on_failure=_raise,
            )
            server.recover()
            server.drain()

    def post(self) -> int | None:
        """Draw what the audit tells and post what is due."""
        self.follower.step(self.db)
        return self.poster.step(self.db)

    def _connect(self, stack: ExitStack) -> None:
        place = self.desk.workspace
        secrets = SlackSecrets(
            bot_token=SecretStr(place.identity.bot_token),
            signing_secret=SecretStr(place.identity.signing_secret),
        )
        app = make_app(SlackSettings(api=place.base_url), secrets, self.gate)
        stack.enter_context(connected(app, place))


class ClickDesk:
    """A channel with a ticket in it, a store, a practice shop, and the bot."""

    def __init__(
        self,
        store: Path,
        workspace: Workspace,
        shop: PracticeShop,
        gateway: Gateway,
        policy: Policy,
        clock: HeldClock,
    ) -> None:
        self.store = store
        self.workspace = workspace
        self.shop = shop
        self.gateway = gateway
        self.policy = policy
        self.clock = clock
        self.db = connect(store)
        migrate(self.db, [*(each for each in MIGRATIONS if each.name != "slack"), SLACK_MIGRATIONS])
        self.ticket = workspace.post(ASKER, "T-1 C-53556 Where is my parcel?", channel=CHANNEL)
        self.bots: list[Bot] = []
        self.stacks: list[ExitStack] = []
        self.proposals = Proposals(policy)

    def start(self, *, owner: str = "process-1") -> None:
        """Start a process."""
        stack = ExitStack()
        self.bots.append(Bot(self, stack, owner=owner))
        self.stacks.append(stack)

    def restart(self) -> None:
        """End every process and start one anew."""
        self.stop()
        self.start(owner="process-9")

    def stop(self) -> None:
        """End every process."""
        self.bots.clear()
        while self.stacks:
            self.stacks.pop().close()

    @property
    def bot(self) -> Bot:
        """The first process."""
        return self.bots[0]

    def now_us(self) -> int:
        """Return the time of the bot, which is that of the workspace."""
        return int(self.clock.now() * SECOND_US)

    def pass_time(self, seconds: float) -> None:
        """Set the clock on."""
        self.workspace.advance(seconds)

    def propose(self, *actions: Action, run_id: str = "run-1", ticket_id: str = "T-1") -> Proposal:
        """Store what a run of the ticket asks for."""
        wanted = actions or (FEE,)
        asked = Asked(
            run_id=run_id,
            ticket_id=ticket_id,
            customer_id=CUSTOMERS[wanted[0].order_id],
            actions=wanted,
            requesters=frozenset({ASKER}),
            rule="W7",
            evidence=("get_order: shipped",),
            draft="We have refunded the fee.",
        )
        with tx(self.db):
            changed(
                self.db,
                "INSERT INTO threads (run_id, channel, thread_ts, state)"
                " VALUES (?, ?, ?, 'ended') ON CONFLICT DO NOTHING",
                (run_id, CHANNEL, self.ticket.ts),
            )
            return self.proposals.create(self.db, asked, now_us=self.now_us()).proposal

    def show(self, *actions: Action, run_id: str = "run-1") -> tuple[Proposal, Message]:
        """Propose, and return the proposal with its card."""
        proposal = self.propose(*actions, run_id=run_id)
        self.work()
        return proposal, self.card(proposal)

    def work(self, *, execute: bool = True, horizon_s: float = 10) -> None:
        """Let every process of the bot do all that it can within some seconds of its clock."""
        self.workspace.settle()
        ends_us = self.now_us() + int(horizon_s * SECOND_US)
        while True:
            due = [self._round(bot, execute=execute) for bot in self.bots]
            next_us = min((us for us in due if us is not None), default=None)
            if next_us is None or next_us > ends_us:
                return
            self.pass_time(max(0, next_us - self.now_us()) / SECOND_US)

    def _round(self, bot: Bot, *, execute: bool) -> int | None:
        bot.decide()
        bot.post()
        if execute:
            bot.execute()
        return bot.post()

    def card(self, proposal: Proposal) -> Message:
        """Return the one card of a proposal, as it looks now."""
        found = [each for each in self.thread() if _key(each) == f"card:{proposal.proposal_id}"]
        assert len(found) == 1, f"{len(found)} cards of {proposal.proposal_id}"
        return found[0]

    def thread(self) -> list[Message]:
        """Return what the bot said in the ticket's thread."""
        return [each for each in self.workspace.replies(self.ticket) if each.user == BOT]

    def told(self, user: str) -> list[str]:
        """Return what only one person was told, the oldest first."""
        return [each.text for each in self.workspace.ephemerals(user)]

    def click(self, user: str, card: Message, action: ActionId = ActionId.APPROVE) -> None:
        """Press a button; the bot has only stored it when this returns."""
        self.workspace.click(user, card, action.value)
        self.workspace.settle()

    def fill(self, user: str) -> View:
        """Wait until the form in front of somebody is filled, and return it."""

        def filled() -> View | None:
            view = self.workspace.modal(user)
            return view if view is not None and "One moment" not in str(view.body) else None

        view = self.workspace.wait_for(filled, what="a filled form")
        assert view is not None
        return view

    def edit(self, user: str, card: Message, values: dict[str, str]) -> None:
        """Change amounts by the form."""
        self.click(user, card, ActionId.EDIT_AMOUNT)
        self.fill(user)
        self.workspace.submit(user, values)

    def foreign_click(self, user: str, card: Message, *, team: str) -> dict[str, Any]:
        """Press Approve, with a payload that names another team."""
        sent = self.workspace.click(user, card, ActionId.APPROVE)
        self.workspace.settle()
        payload: dict[str, Any] = dict(sent.payload)
        with tx(self.db):  # as if only this one had come
            changed(self.db, "DELETE FROM inbox WHERE state = 'new'")
        payload |= {"team": {"id": team}, "trigger_id": "another"}
        payload["user"] = payload["user"] | {"team_id": team}
        self.workspace.deliver(payload, kind=Kind.INTERACTIVE)
        return payload

    def old_click(self, user: str, card: Message, action_id: str) -> None:
        """Press a button that had another name in the release that posted it."""
        sent = self.workspace.click(user, card, ActionId.APPROVE)
        self.workspace.settle()
        payload: dict[str, Any] = dict(sent.payload)
        with tx(self.db):
            changed(self.db, "DELETE FROM inbox WHERE state = 'new'")
        action = payload["actions"][0] | {"action_id": action_id}
        payload |= {"actions": [action], "trigger_id": "another"}
        self.workspace.deliver(payload, kind=Kind.INTERACTIVE)

    def decide_elsewhere(self, proposal: Proposal, user: str) -> None:
        """Approve as the command line does: in the store alone."""
        executes = Executes(
            gateway=self.gateway.traits.name, prepare=self.gateway.prepare, jobs=Jobs()
        )
        with tx(self.db):
            Decisions(self.policy, executes).approve(
                self.db,
                proposal_id=proposal.proposal_id,
                version=proposal.version,
                person=Person(user_id=user),
                now_us=self.now_us(),
            )

    def empty_group(self) -> None:
        """Let everybody leave the user group."""
        self.workspace.put_group(Group(id="S0AGENTS", handle="agents"))

    def warn(self) -> None:
        """Run the sweep that marks what expires soon."""
        with tx(self.db):
            self.proposals.warn_due(self.db, now_us=self.now_us())

    def again(self, proposal: Proposal) -> Proposal:
        """Return a proposal as it stands now."""
        return read_proposal(self.db, proposal.proposal_id)

    def changes(self) -> tuple[Change, ...]:
        """Return what was really done at the shop."""
        assert isinstance(self.gateway, PracticeGateway)
        return self.gateway.changes()

    def failed(self) -> list[PostRow]:
        """Return what the poster gave up."""
        return failed_posts(self.db)

    def posts(self) -> Mapping[PostState, int]:
        """Count the outbox."""
        return count_posts(self.db)


@contextmanager
def open_desk(
    folder: Path,
    *,
    bots: int = 1,
    gateway: Callable[[Gateway], Gateway] | None = None,
    **policy: Any,
) -> Iterator[ClickDesk]:
    """Open a desk, its policy changed by ``policy``."""
    clock = HeldClock(START_S)
    everyone = (ANN, ART, LEA, HED, OUT, GUEST, ELSE, ASKER)
    users = [
        User(
            id=name,
            name=name[2:].lower(),
            is_restricted=name == GUEST,
            team_id="T0ELSE" if name == ELSE else None,
            is_stranger=name == ELSE,
        )
        for name in everyone
    ]
    table = {"currency": "CAD", "roles": ROLES, "expiry_hours": 48, **policy}
    with ExitStack() as stack:
        place = stack.enter_context(
            Workspace(
                users=users,
                groups=[Group(id="S0AGENTS", handle="agents", members=(ART,))],
                channels=[Channel(id=CHANNEL, name="support", members=(*everyone, BOT))],
                clock=clock,
            )
        )
        shop = stack.enter_context(PracticeShop.from_folder(SHIPPED_DATA))
        own = stack.enter_context(PracticeGateway(shop.path, today=lambda: PRACTICE_TODAY))
        desk = ClickDesk(
            folder / "handrail.db",
            place,
            shop,
            own if gateway is None else gateway(own),
            read_policy(table, file="handrail.toml"),
            clock,
        )
        stack.callback(desk.db.close)
        stack.callback(desk.stop)
        for number in range(bots):
            desk.start(owner=f"process-{number + 1}")
        yield desk


def action_ids(message: Message) -> list[str]:
    """Return the buttons of a message, in order."""
    return [
        element["action_id"]
        for block in message.blocks
        if block["type"] == "actions"
        for element in block["elements"]
    ]


def shown(message: Message) -> str:
    """Return all that a message says, as one text."""
    return " ".join(_texts(list(message.blocks)))


def _texts(value: Any) -> Iterator[str]:
    match value:
        case {"type": "mrkdwn" | "plain_text", "text": str(text)}:
            yield text
        case dict():
            for each in value.values():
                yield from _texts(each)
        case list():
            for each in value:
                yield from _texts(each)
        case _:
            pass


def _key(message: Message) -> str | None:
    payload = (message.metadata or {}).get("event_payload") or {}
    return payload.get("key")


def _raise(job: Job, error: Exception) -> None:
    raise AssertionError(f"job {job.kind} failed") from error
