"""The page's routes: the document, its files, the live feed, and what people do."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from importlib import resources
from string import Template
from typing import Any, Final

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from bot.errors import BotError
from bot.workspace.errors import NotPossible, TookTooLong
from bot.workspace.page.acts import ACTS
from bot.workspace.page.feed import Bell, feed
from bot.workspace.page.people import NewTicket, Offers
from bot.workspace.page.rows import Row, rows_of, traffic_text
from bot.workspace.page.screen import Screen
from bot.workspace.page.versions import Versions
from bot.workspace.traffic import Delivery
from bot.workspace.workspace import Workspace

__all__ = ["Page"]

ANSWER_SECONDS: Final = 4.0
"""How long a person waits for the app's acknowledgement before they are told; Slack: 3 s."""
TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Sent with everything: nothing from elsewhere, no script in the document, no markup from data."""
BROUGHT_IN: Final = "x-page-token"
"""The header in which a request brings the document's token along."""


class Page:
    """A small Slack in the browser, over a workspace; live, for any number of windows.

    Mount it before the workspace starts: ``workspace.mount(page.routes)``. The document carries a
    random token, which every further request must bring along.

    Args:
        workspace: what it shows and acts in.
        title: shown above the channels and in the window's title.
        manifest: of the app: its slash commands and message shortcuts are offered.
        people: who can be acted as, in this order: a user's id and a word about their role.
        new_ticket: gives the text that the box "New ticket" starts with; None: there is no box.
        on_reset: starts over, called in a thread of its own; None: there is no button. What it
            raises as a :class:`BotError` is told to the person.

    Raises:
        ValueError: ``people`` is empty.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        title: str,
        manifest: Mapping[str, Any],
        people: Mapping[str, str],
        new_ticket: Callable[[], NewTicket] | None = None,
        on_reset: Callable[[], None] | None = None,
    ) -> None:
        if not people:
            raise ValueError("a page needs somebody who can be acted as")
        self._workspace = workspace
        self._title = title
        self._offers = Offers.of(manifest)
        self._people = dict(people)
        self._new_ticket = new_ticket
        self._on_reset = on_reset
        self._token = secrets.token_urlsafe(24)
        self._versions = Versions()
        self._notice = ""
        self._bell = Bell()
        workspace.watch(self._bell.ring)

    @property
    def routes(self) -> list[BaseRoute]:
        """What is to be mounted in the workspace's server."""
        return [
            Route("/", self._document),
            Route("/page/feed", self._feed),
            Route("/page/act", self._act, methods=["POST"]),
            Route("/page/new-ticket", self._ticket, methods=["POST"]),
            Route("/page/reset", self._reset, methods=["POST"]),
            Route("/page/traffic/{way}/{number:int}", self._traffic, methods=["POST"]),
            Route("/page/{name}", self._file),
        ]

    def notice(self, text: str) -> None:
        """Show one line of progress at the top of every window; an empty text takes it away."""
        self._notice = text
        self._bell.ring()

    # The document and its files.

    async def _document(self, _request: Request) -> Response:
        form = Template(_static("index.html").decode("utf-8"))
        text = form.substitute(token=self._token, first=next(iter(self._people)))
        return Response(text, headers=HEADERS, media_type="text/html; charset=utf-8")

    async def _file(self, request: Request) -> Response:
        name = str(request.path_params["name"])
        if name not in _names():
            return Response("There is no such file.", 404, HEADERS)
        return Response(_static(name), headers=HEADERS | {"Content-Type": _type(name)})

    # What is live.

    async def _feed(self, request: Request) -> Response:
        viewer = request.query_params.get("as", "")
        if not self._is_known(request.query_params.get("token", "")):
            return self._refused()
        if viewer not in self._people:
            return _told("Nobody here can act as this person.", 404)
        headers = HEADERS | {"Content-Type": "text/event-stream"}
        return StreamingResponse(self._changes(viewer), headers=headers)

    def _changes(self, viewer: str) -> AsyncIterator[str]:
        return feed(self._bell, lambda: self._rows(viewer))

    def _rows(self, viewer: str) -> Iterator[tuple[str, Row]]:
        me = self._workspace.identity
        yield (
            "place",
            {
                "title": self._title,
                "team": me.team_name,
                "domain": me.domain,
                "bot": me.bot_user,
                "me": viewer,
                "people": [{"id": each, "role": role} for each, role in self._people.items()],
                "commands": list(self._offers.commands),
                "shortcuts": list(self._offers.shortcuts),
                "new_ticket": self._new_ticket is not None,
                "reset": self._on_reset is not None,
                "notice": self._notice,
            },
        )
        yield from rows_of(self._workspace, viewer, self._versions)

    async def _act(self, request: Request) -> Response:
        if not self._is_known(request.headers.get(BROUGHT_IN, "")):
            return self._refused()
        viewer = request.query_params.get("as", "")
        if viewer not in self._people:
            return _told("Nobody here can act as this person.", 404)
        try:
            delivery = ACTS.validate_json(await request.body()).do(self._screen(viewer))
        except ValidationError as error:
            return _told(_words(error), 422)
        except NotPossible as error:
            return _told(f"Slack would not do this: {error}.", 409)
        return await _answered(delivery)

    async def _ticket(self, request: Request) -> Response:
        if not self._is_known(request.headers.get(BROUGHT_IN, "")):
            return self._refused()
        if self._new_ticket is None:
            return _told("There is no box for new tickets here.", 404)
        made = self._new_ticket()
        return JSONResponse({"channel": made.channel, "text": made.text}, headers=HEADERS)

    async def _traffic(self, request: Request) -> Response:
        if not self._is_known(request.headers.get(BROUGHT_IN, "")):
            return self._refused()
        text = traffic_text(self._workspace, **request.path_params)
        if text is None:
            return _told("There is no such line any more.", 404)
        return JSONResponse({"text": text}, headers=HEADERS)

    async def _reset(self, request: Request) -> Response:
        if not self._is_known(request.headers.get(BROUGHT_IN, "")):
            return self._refused()
        if self._on_reset is None:
            return _told("Starting over is not offered here.", 404)
        try:
            await asyncio.to_thread(self._on_reset)
        except BotError as error:
            return _told(str(error), 500)
        return JSONResponse({"ok": True}, headers=HEADERS)

    def _screen(self, viewer: str) -> Screen:
        return Screen(workspace=self._workspace, versions=self._versions, user=viewer)

    def _is_known(self, token: str) -> bool:
        return secrets.compare_digest(token.encode("utf-8"), self._token.encode("utf-8"))

    def _refused(self) -> Response:
        return _told("This window is from before a restart; reload it.", 403)


async def _answered(delivery: Delivery | None) -> Response:
    """Tell whether the app acknowledged, for as long as a person waits for it."""
    if delivery is None:
        return JSONResponse({"ok": True}, headers=HEADERS)
    try:
        answer = await asyncio.to_thread(delivery.answer, ANSWER_SECONDS)
    except TookTooLong:
        return _told("The app did not answer in time. Try again.", 504)
    if answer.ok:
        return JSONResponse({"ok": True}, headers=HEADERS)
    return _told(f"The app did not take it ({answer.failure}). Try again.", 502)


def _told(words: str, status: int) -> Response:
    return JSONResponse({"ok": False, "told": words}, status, headers=HEADERS)


def _words(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(each) for each in first["loc"][1:])
    return f"Slack would not take this: {place} {first['msg'].lower()}."


def _static(name: str) -> bytes:
    return resources.files("bot.workspace.page").joinpath("static", name).read_bytes()


def _names() -> set[str]:
    folder = resources.files("bot.workspace.page").joinpath("static")
    return {each.name for each in folder.iterdir() if _type(each.name)}


def _type(name: str) -> str:
    return TYPES.get(name.rpartition(".")[2], "")
