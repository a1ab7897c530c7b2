"""Serving: the desk, a Bolt app, and a way for Slack to reach it, until it is told to stop."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final, assert_never

from slack_bolt import App

from bot.errors import BotError
from bot.settings import Settings
from bot.slack.app import make_app
from bot.slack.backoff import Backoff
from bot.slack.desk import Desk
from bot.slack.errors import SlackUnreachable
from bot.slack.guard import Guard
from bot.slack.outside import Outside
from bot.slack.settings import Mode, SlackSecrets
from bot.slack.socket import SlackSocket, SocketHandler
from bot.slack.troubles import Troubles
from bot.slack.watch import Watch

__all__ = ["served", "served_when_reached"]

EVENTS_PATH: Final = "/slack/events"
"""Where Slack posts events, presses, forms and commands to, in HTTP mode."""
LAST_ANSWERS_S: Final = 4
"""How long a stop waits for what is being answered over HTTP: longer than a body may take."""
POLL_S: Final = 0.1
"""How often a start that waits for Slack looks whether it is to end."""
AWAY: Final = "Slack is away at the start"
"""The name of that trouble."""
_WAITS: Final = "It is tried again, ever more slowly; Ctrl-C ends it"
_socket_log: Final = logging.getLogger("handrail.slack.socket")


@contextmanager
def served(
    settings: Settings, secrets: SlackSecrets, *, outside: Outside | None = None
) -> Iterator[Desk]:
    """Serve for as long as the block lasts; then take nothing more in and finish what was begun.

    Raises:
        SlackUnreachable: Slack does not know a token, or did not answer.
        BotError: the address cannot be listened at, or the HTTP libraries are not installed.
    """
    token = secrets.bot_token.get_secret_value()
    by_socket = settings.slack.mode is Mode.SOCKET
    desk = Desk.open(settings, token, whole_app=True, regularly=not by_socket, outside=outside)
    desk.start()
    try:
        app = make_app(settings.slack, secrets, desk.gate)
        desk.rounds.go()  # so that whatever is posted from now on is behind a known place
        with _reached(settings, secrets, app, desk):
            yield desk
    finally:
        desk.stop()


@contextmanager
def served_when_reached(
    settings: Settings,
    secrets: SlackSecrets,
    *,
    stopped: threading.Event,
    outside: Outside | None = None,
) -> Iterator[Desk | None]:
    """Serve as ``served`` does, once Slack answers; None where ``stopped`` was set before.

    While Slack is away it is tried again, ever more slowly, and the log says so once.

    Raises:
        SlackUnreachable: Slack answers and does not know a token.
        BotError: as ``served``.
    """
    outside = outside or Outside()
    backoff = Backoff(monotonic=outside.monotonic, chance=outside.chance)
    troubles = Troubles()
    with ExitStack() as stack:
        desk = None
        while desk is None and _may_try(backoff, stopped):
            try:
                desk = stack.enter_context(served(settings, secrets, outside=outside))
            except SlackUnreachable as error:
                if not error.passes:
                    raise
                backoff.failed(at_least_s=error.wait_s)
                troubles.tell(AWAY, "%s: %s. %s. To do: %s", AWAY, error, _WAITS, error.hint)
        if desk is not None:
            troubles.over(AWAY)
        yield desk


def _may_try(backoff: Backoff, stopped: threading.Event) -> bool:
    """Wait until it is time for another try; False where it is to end."""
    while not backoff.may_try:
        if stopped.wait(POLL_S):
            return False
    return not stopped.is_set()


@contextmanager
def _reached(settings: Settings, secrets: SlackSecrets, app: App, desk: Desk) -> Iterator[None]:
    match settings.slack.mode:
        case Mode.SOCKET:
            with _socket(settings, secrets, app, desk):
                yield
        case Mode.HTTP:
            with _http(settings, secrets, app):
                yield
        case _:
            assert_never(settings.slack.mode)


@contextmanager
def _socket(settings: Settings, secrets: SlackSecrets, app: App, desk: Desk) -> Iterator[None]:
    assert secrets.app_token is not None, "read_secrets requires it for this mode"
    monotonic = desk.outside.monotonic
    socket = SlackSocket(
        secrets.app_token.get_secret_value(),
        api=settings.slack.api,
        backoff=Backoff(monotonic=monotonic, chance=desk.outside.chance),
        troubles=desk.troubles,
    )
    SocketHandler(app, socket)
    watch = Watch(desk.catch_up.run, monotonic=monotonic)
    socket.on_message_listeners.append(watch.heard)
    socket.connect()
    watch.start(socket)
    try:
        yield
    finally:
        try:
            with _hushed(_socket_log):
                socket.close()
        finally:
            watch.stop()


@contextmanager
def _hushed(log: logging.Logger) -> Iterator[None]:
    """Log nothing: a socket that is closed complains of what it could not answer any more.

    Slack sends that again, or we find it at the next start.
    """

    def nothing(_record: logging.LogRecord) -> bool:
        return False

    log.addFilter(nothing)
    try:
        yield
    finally:
        log.removeFilter(nothing)


@contextmanager
def _http(settings: Settings, secrets: SlackSecrets, app: App) -> Iterator[None]:
    try:
        import uvicorn
        from slack_bolt.adapter.starlette import SlackRequestHandler
        from starlette.applications import Starlette
        from starlette.requests import Request
        from starlette.responses import Response
        from starlette.routing import Route
    except ImportError as error:
        raise BotError(
            "HTTP mode needs libraries that are not installed",
            hint="pip install 'handrail[http]', or use Socket Mode: slack.mode = \"socket\"",
        ) from error
    handler = SlackRequestHandler(app)

    async def take(request: Request) -> Response:
        return await handler.handle(request)

    routes = Starlette(routes=[Route(EVENTS_PATH, take, methods=["POST"])])
    assert secrets.signing_secret is not None, "read_secrets requires it for this mode"
    guard = Guard(routes, signing_secret=secrets.signing_secret.get_secret_value())
    with _listening(settings.slack.host, settings.slack.port) as listener:
        config = uvicorn.Config(
            guard,
            log_level="warning",
            access_log=False,
            ws="none",  # no upgrade past the guard, whatever libraries are installed
            timeout_graceful_shutdown=LAST_ANSWERS_S,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(
            target=server.run, args=([listener],), name="events-api", daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """Listen at an address: what comes before the server runs waits.

    Raises:
        BotError: it cannot be listened at.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address, family=family)
    except OSError as error:
        raise BotError(
            f"{host}:{port} cannot be listened at: {error.strerror}",
            hint="choose another slack.host or slack.port, or end the program that listens there",
        ) from error
    with listener:
        yield listener
