"""The local workspace: one object that starts, is acted in, is read, and stops."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

from starlette.routing import BaseRoute

from bot.workspace import events
from bot.workspace.clock import Clock, HeldClock, RunningClock, Schedule
from bot.workspace.core import Core
from bot.workspace.courier import Courier
from bot.workspace.errors import NotPossible
from bot.workspace.faults import Faults
from bot.workspace.hands import Hands
from bot.workspace.loopback import listening
from bot.workspace.messages import Message
from bot.workspace.passes import Passes
from bot.workspace.people import Channel, Group, Identity, User
from bot.workspace.server import Connections, Server, web_app
from bot.workspace.signed_http import SignedHttp
from bot.workspace.sockets import Sockets
from bot.workspace.state import State, direct_id
from bot.workspace.surfaces import View
from bot.workspace.traffic import Call, Delivery, Kind
from bot.workspace.web_api import WebApi

__all__ = ["Workspace"]

T = TypeVar("T")
TICK_SECONDS = 0.05
"""How often a workspace whose clock runs looks at what is due."""


class Workspace(Hands):
    """A small Slack on this machine, for tests and for the demo.

    Args:
        users: who is there; the bot's own user is added.
        groups: user groups.
        channels: the bot sees those that name its user among their members.
        identity: ids, tokens, scopes of the app.
        clock: a :class:`HeldClock` (default) stands still until :meth:`advance`.
        host: loopback only.
        port: 0 takes a free one.
        pages: further routes of the same server (the demo's page).
    """

    def __init__(
        self,
        *,
        users: Iterable[User] = (),
        groups: Iterable[Group] = (),
        channels: Iterable[Channel] = (),
        identity: Identity | None = None,
        clock: Clock | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        pages: Iterable[BaseRoute] = (),
    ) -> None:
        me = identity or Identity()
        clock = clock or HeldClock()
        bot = User(id=me.bot_user, name=me.bot_name, is_bot=True)
        state = State(clock, [bot, *users], groups, channels)
        self._clock = clock
        self._schedule = Schedule(clock)
        self._connections = Connections()
        self.faults = Faults()
        self.sockets = Sockets(
            self._schedule, me.app_id, changed=_bell(state), abort=self._connections.abort
        )
        super().__init__(
            Core(
                identity=me,
                state=state,
                clock=clock,
                passes=Passes(clock),
                courier=Courier(state, self._schedule, self.sockets),
                sockets=self.sockets,
            )
        )
        self._address = (host, port)
        self._pages = list(pages)
        self._http: SignedHttp | None = None
        self._server: Server | None = None
        self._stopping = threading.Event()

    # Starting and stopping.

    def mount(self, pages: Iterable[BaseRoute]) -> None:
        """Serve further routes, such as a page that needs the workspace itself; before `start`."""
        self._pages += pages

    def start(self) -> Self:
        """Listen and answer.

        Raises:
            BindRefused: if the host is not loopback.
            PortTaken: if another program listens there.
        """
        listener = listening(*self._address)
        host, port, *_ = listener.getsockname()
        self._core.base = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        web_api = WebApi(self._core, self.faults)
        app = web_app(web_api, self.sockets, self._connections, self._pages)
        self._server = Server(app, listener, self._connections)
        self._server.start()
        if isinstance(self._clock, RunningClock):
            threading.Thread(target=self._tick, name="workspace-clock", daemon=True).start()
        return self

    def stop(self) -> None:
        """Close everything; a second call does nothing."""
        self._stopping.set()
        self.sockets.close()
        if self._server is not None:
            self._server.stop()
            self._server = None
        if self._http is not None:
            self._http.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    # How the app reaches it, and how it reaches the app.

    @property
    def identity(self) -> Identity:
        """The app's ids, tokens and signing secret."""
        return self._core.identity

    @property
    def url(self) -> str:
        """Where a browser finds the page that is mounted."""
        return f"{self._core.base}/"

    @property
    def base_url(self) -> str:
        """What slack_sdk's clients take as ``base_url``."""
        return f"{self._core.base}/api/"

    def deliver_over_http(self, url: str, *, ack_seconds: float = 3.0) -> SignedHttp:
        """From now on post everything to the app's own address, signed. Default: Socket Mode."""
        self._http = SignedHttp(url, self.identity.signing_secret, ack_seconds=ack_seconds)
        self._core.courier.transport = self._http
        return self._http

    def advance(self, seconds: float) -> None:
        """Move the held clock and do what falls due: retries, missing acknowledgements.

        Raises:
            NotPossible: if the clock runs by itself.
        """
        if not isinstance(self._clock, HeldClock):
            raise NotPossible("the workspace's clock runs by itself")
        end = self._clock.now() + seconds
        while (moment := self._schedule.next_moment()) is not None and moment <= end:
            self._clock.advance(max(0.0, moment - self._clock.now()))
            self._schedule.run_due()
        self._clock.advance(end - self._clock.now())

    def event(self, event_type: str, **fields: Any) -> Delivery:
        """Tell the app of something that is no message: ``channel_archive``, ``tokens_revoked``."""
        return events.lifecycle(self._core, event_type, **fields)

    def deliver(self, payload: dict[str, Any], *, kind: Kind = Kind.EVENT) -> Delivery:
        """Deliver a payload as it stands: ``app_rate_limited``, or what no Slack would send."""
        return self._core.courier.send(kind, payload)

    def redeliver(self, delivery: Delivery, *, number: int = 1) -> Delivery:
        """Deliver the same payload once more, as retry ``number``."""
        return self._core.courier.again(delivery, number=number)

    # Changing the place itself.

    def put_user(self, user: User) -> None:
        """Add or replace a user."""
        with self._state.changing():
            self._state.users[user.id] = user

    def put_group(self, group: Group) -> None:
        """Add or replace a user group."""
        with self._state.changing():
            self._state.groups[group.id] = group

    def put_channel(self, channel: Channel) -> None:
        """Add or replace a channel (archive it, remove the bot)."""
        with self._state.changing():
            self._state.channels[channel.id] = channel

    def put_scopes(self, scopes: Iterable[str]) -> None:
        """Install the app again, with these scopes."""
        with self._state.changing():
            self._core.identity = replace(self._core.identity, scopes=frozenset(scopes))

    def revoke_token(self, *, revoked: bool = True) -> None:
        """Let every call fail with ``token_revoked``."""
        self._core.token_revoked = revoked

    def clear(self) -> None:
        """Forget what was said, shown and sent, and switch faults off. No app may be connected."""
        self.faults.clear()
        with self._state.changing():
            self._core.calls.clear()
            self._core.courier.deliveries.clear()
            self._state.clear()

    # Reading.

    def users(self) -> list[User]:
        """Return everybody, the bot first."""
        with self._state.reading():
            return list(self._state.users.values())

    def groups(self) -> list[Group]:
        """Return the user groups."""
        with self._state.reading():
            return list(self._state.groups.values())

    def channels(self) -> list[Channel]:
        """Return the channels."""
        with self._state.reading():
            return list(self._state.channels.values())

    def messages(self, channel: str) -> list[Message]:
        """Return every message of a channel, replies too, the oldest first."""
        with self._state.reading():
            return self._state.messages.everything(channel)

    def message(self, channel: str, ts: str) -> Message:
        """Return the present version of a message."""
        return self._state.message(channel, ts)

    def latest(self, message: Message) -> Message:
        """Return the present version of a message."""
        return self._state.message(message.channel, message.ts)

    def history(self, channel: str) -> list[Message]:
        """Return what the channel itself shows, the oldest first."""
        with self._state.reading():
            return self._state.messages.history(channel)

    def replies(self, message: Message) -> list[Message]:
        """Return the replies below a message, the oldest first."""
        with self._state.reading():
            return self._state.messages.replies(message.channel, message.root)

    def ephemerals(self, user: str) -> list[Message]:
        """Return the ephemeral messages that a person sees, the oldest first."""
        with self._state.reading():
            return [m for m in self._state.ephemerals if m.ephemeral_to == user]

    def direct(self, user: str) -> list[Message]:
        """Return what the bot wrote to a person directly, the oldest first."""
        with self._state.reading():
            return self._state.messages.history(direct_id(user))

    def modal(self, user: str) -> View | None:
        """Return the form that a person has in front of them."""
        with self._state.reading():
            stack = self._state.stacks.get(user)
            return self._state.views[stack[-1]] if stack else None

    def home(self, user: str) -> View | None:
        """Return a person's App Home."""
        with self._state.reading():
            return self._state.views.get(self._state.homes.get(user, ""))

    def calls(self, method: str | None = None) -> list[Call]:
        """Return the app's calls in order, of one method if named."""
        with self._state.reading():
            return [c for c in self._core.calls if method in (None, c.method)]

    def deliveries(self, event_type: str | None = None) -> list[Delivery]:
        """Return what was sent to the app, in order, of one type if named."""
        with self._state.reading():
            found = list(self._core.courier.deliveries)
        return [d for d in found if event_type in (None, d.event_type)]

    # Waiting.

    def watch(self, told: Callable[[], None]) -> None:
        """Call ``told`` after each change, in the thread that made it; it must return at once."""
        self._state.watchers.append(told)

    def wait_for(
        self,
        condition: Callable[[], T | None],
        *,
        seconds: float = 5.0,
        what: str = "the condition",
    ) -> T:
        """Wait for something true, looked at after each change; return it.

        Raises:
            TookTooLong: after so many seconds of real time.
        """
        return self._state.wait_for(condition, seconds=seconds, what=what)

    def settle(self, *, seconds: float = 5.0) -> None:
        """Wait until no delivery is on its way to the app."""
        courier = self._core.courier
        self.wait_for(lambda: courier.quiet, seconds=seconds, what="that deliveries are answered")

    def wait_for_sockets(self, count: int = 1, *, seconds: float = 10.0) -> None:
        """Wait until so many sockets are open."""
        self.wait_for(
            lambda: self.sockets.count == count, seconds=seconds, what=f"{count} open sockets"
        )

    def _tick(self) -> None:
        while not self._stopping.wait(TICK_SECONDS):
            self._schedule.run_due()


def _bell(state: State) -> Callable[[], None]:
    def ring() -> None:
        with state.changing():
            pass

    return ring
