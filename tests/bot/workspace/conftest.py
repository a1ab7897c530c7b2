"""A small workspace with a clock that stands still, a client of the app, and both ways to Bolt."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from slack_bolt import App
from slack_bolt.adapter.starlette import SlackRequestHandler
from slack_sdk import WebClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.workspace import Channel, Group, HeldClock, Identity, User, Workspace
from bot.workspace.loopback import listening
from bot.workspace.server import Connections, Server
from tests.harness.sockets import connected

BOT = Identity().bot_user
START = 1_750_000_000.0

Connect = Callable[[App], None]


@pytest.fixture
def clock() -> HeldClock:
    """A clock that somebody else moves."""
    return HeldClock(START)


@pytest.fixture
def workspace(clock: HeldClock) -> Iterator[Workspace]:
    """Two agents, a lead and a channel that the bot is in; another that it is not in."""
    everyone = ("U0ANN", "U0BEN", "U0LEA")
    place = Workspace(
        users=[User(id=name, name=name[2:].lower()) for name in everyone],
        groups=[Group(id="S0LEADS", handle="leads", members=("U0LEA",))],
        channels=[
            Channel(id="C0SUPPORT", name="support", members=(*everyone, BOT)),
            Channel(id="C0OTHER", name="other", members=everyone),
            Channel(id="C0SECRET", name="secret", members=everyone, is_private=True),
        ],
        clock=clock,
    )
    with place:
        yield place


@pytest.fixture
def client(workspace: Workspace) -> WebClient:
    """Slack's own client, with the bot's token and without any retry."""
    token = workspace.identity.bot_token
    return WebClient(token=token, base_url=workspace.base_url, retry_handlers=[])


@pytest.fixture
def bolt(workspace: Workspace, client: WebClient) -> App:
    """Slack's own framework, on that client."""
    return App(client=client, signing_secret=workspace.identity.signing_secret)


@pytest.fixture
def connect_sockets(workspace: Workspace) -> Iterator[Connect]:
    """Connect an app by Socket Mode, for as long as the test runs."""
    with ExitStack() as stack:

        def connect(app: App) -> None:
            stack.enter_context(connected(app, workspace))

        yield connect


@pytest.fixture
def connect_http(workspace: Workspace) -> Iterator[Connect]:
    """Let the workspace deliver to an app's own HTTP address, for as long as the test runs."""
    with ExitStack() as stack:

        def connect(app: App) -> None:
            listener = listening("127.0.0.1", 0)
            server = Server(bolt_over_http(app), listener, Connections())
            server.start()
            stack.callback(server.stop)
            workspace.deliver_over_http(address_of(listener))

        yield connect


@pytest.fixture(params=["socket", "http"])
def connect(
    request: pytest.FixtureRequest, connect_sockets: Connect, connect_http: Connect
) -> Connect:
    """Both ways, one after the other."""
    return connect_sockets if request.param == "socket" else connect_http


def bolt_over_http(app: App) -> Starlette:
    """Return Bolt's own adapter as an application."""
    handler = SlackRequestHandler(app)

    async def events(request: Request) -> Response:
        return await handler.handle(request)

    return Starlette(routes=[Route("/slack/events", events, methods=["POST"])])


def address_of(listener: socket.socket) -> str:
    """Return the address that an app's listener has."""
    return f"http://127.0.0.1:{listener.getsockname()[1]}/slack/events"
