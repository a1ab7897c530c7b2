"""Putting Handrail into a Bolt app: the gate in front of every listener, and nothing else."""

from __future__ import annotations

import http
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from slack_bolt import App, BoltRequest, BoltResponse
from slack_bolt.middleware import Middleware

from bot.settings import Settings
from bot.slack.desk import Desk
from bot.slack.errors import AppRefused
from bot.slack.gate import Gate
from bot.slack.outside import Outside

__all__ = ["Attached", "GateMiddleware", "attach"]


class Attached:
    """What was attached. Close it when the app ends; usable as a context manager."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def runs_jobs(self) -> bool:
        """Whether this process is the one of its store that runs jobs and posts."""
        return self._desk.holds_lock

    def close(self) -> None:
        """Finish what was begun, and let another process run the jobs."""
        self._desk.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def attach(app: App, settings: Settings, *, outside: Outside | None = None) -> Attached:
    """Mount Handrail on a Bolt app that a team has, and start its threads.

    Tickets in the channels of the settings, and buttons and forms whose ids begin with
    ``handrail:``, are taken before any listener of the team's; everything else goes on to them.
    Several processes may attach to one store: one of them runs the jobs.

    Args:
        app: an ``App`` with a bot token. Its own listeners are not touched.
        settings: from ``load_settings``.
        outside: the model, the clock and ids.

    Raises:
        AppRefused: it is an ``AsyncApp``, or has no bot token of its own.
        SlackUnreachable: Slack does not know the token, or did not answer; where ``passes`` says
            that it may be over by itself, attach again later.
    """
    if not isinstance(app, App):
        raise AppRefused(
            f"{type(app).__name__} cannot be attached to: Handrail works with slack_bolt.App",
            hint="run handrail serve beside an AsyncApp, with an app of its own in Slack",
        )
    token: Any = app.client.token
    if not isinstance(token, str) or not token:
        raise AppRefused(
            "the app has no bot token, as one that is installed in many workspaces has none",
            hint="give App(token=…); Handrail works for one workspace",
        )
    desk = Desk.open(settings, token, whole_app=False, regularly=True, outside=outside)
    app.use(GateMiddleware(desk.gate))
    with ExitStack() as undone:
        desk.start()
        undone.callback(desk.stop)
        desk.rounds.go()
        undone.pop_all()
    return Attached(desk)


class GateMiddleware(Middleware):
    """Puts a gate in front of an app's listeners."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def process(self, *, req: BoltRequest, resp: BoltResponse, next: Any) -> BoltResponse | None:  # noqa: A002 - Bolt's name
        """Take a request, or hand it on."""
        answer = self._gate.answer(req.body)
        if answer is not None:
            return _acknowledged(answer) if req.mode == "socket_mode" else answer
        next()
        return resp


def _acknowledged(answer: BoltResponse) -> BoltResponse:
    """Acknowledge over a socket what is never taken: else Slack would send it for ever."""
    return BoltResponse(status=200) if answer.status == http.HTTPStatus.BAD_REQUEST else answer
