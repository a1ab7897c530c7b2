"""The Web API's door: token, scope, switches, the method itself, and the record of the call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.workspace.core import Core
from bot.workspace.errors import MethodRefused
from bot.workspace.faults import Fault, Faults, Hold, Misbehaviour
from bot.workspace.methods.args import Args
from bot.workspace.methods.table import METHODS, Method
from bot.workspace.respond import respond
from bot.workspace.traffic import Call

__all__ = ["Reply", "WebApi"]

OK = 200
NOT_FOUND = 404
TOO_MANY = 429
LOST = 0
"""The status that is recorded where no answer left the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server is to send: a body, or nothing but a closed connection (``body`` None)."""

    status: int
    body: dict[str, Any] | None
    headers: dict[str, str]
    hold: Hold | None = None


class WebApi:
    """Answers calls and keeps them."""

    def __init__(self, core: Core, faults: Faults) -> None:
        self._core = core
        self._faults = faults

    def call(self, name: str, token: str, values: dict[str, Any]) -> Reply:
        """Answer one call of a method."""
        args = {key: value for key, value in values.items() if key != "token"}
        return self._answered(name, args, lambda: self._run(name, token, args))

    def response(self, secret: str, values: dict[str, Any]) -> Reply:
        """Answer one post to a response URL."""
        return self._answered(
            "response_url",
            values,
            lambda: respond(self._core, secret, values),
            refused_status=NOT_FOUND,
        )

    def _answered(
        self,
        name: str,
        args: dict[str, Any],
        run: Callable[[], dict[str, Any]],
        *,
        refused_status: int = OK,
    ) -> Reply:
        fault = self._faults.take(name, args)
        with self._core.state.changing():
            taken = fault is None or fault.what in (Misbehaviour.LOST_ANSWER, Misbehaviour.HELD)
            body = _run(run) if taken else {}
            done = bool(body.get("ok"))
            status = OK if done else refused_status
            reply = _reply(fault, body, status, self._headers())
            self._core.calls.append(
                Call(
                    method=name,
                    args=args,
                    status=reply.status,
                    answered=reply.body,
                    taken=taken and done,
                    at=self._core.clock.now(),
                )
            )
        return reply

    def _headers(self) -> dict[str, str]:
        return {"x-oauth-scopes": ",".join(sorted(self._core.identity.scopes))}

    def _run(self, name: str, token: str, values: dict[str, Any]) -> dict[str, Any]:
        method = METHODS.get(name)
        if method is None:
            raise MethodRefused("unknown_method", req_method=name)
        self._check_token(method, token)
        self._check_scope(method)
        return method.answer(self._core, Args(values))

    def _check_token(self, method: Method, token: str) -> None:
        me = self._core.identity
        if not token:
            raise MethodRefused("not_authed")
        if token not in (me.bot_token, me.app_token):
            raise MethodRefused("invalid_auth")
        if self._core.token_revoked:
            raise MethodRefused("token_revoked")
        if token != (me.app_token if method.app_level else me.bot_token):
            raise MethodRefused("not_allowed_token_type")

    def _check_scope(self, method: Method) -> None:
        granted = self._core.identity.scopes
        if method.scope and not granted.intersection(method.scope):
            provided = ",".join(sorted(granted))
            raise MethodRefused("missing_scope", needed=method.scope[0], provided=provided)


def _run(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return run()
    except MethodRefused as refused:
        return refused.answer()


def _reply(
    fault: Fault | None, body: dict[str, Any], status: int, headers: dict[str, str]
) -> Reply:
    if fault is None:
        return Reply(status=status, body=body, headers=headers)
    match fault.what:
        case Misbehaviour.REFUSED:
            return Reply(status=OK, body={"ok": False, "error": fault.code}, headers=headers)
        case Misbehaviour.RATE_LIMITED:
            wait = {"Retry-After": str(fault.number)}
            limited = {"ok": False, "error": "ratelimited"}
            return Reply(status=TOO_MANY, body=limited, headers=headers | wait)
        case Misbehaviour.BROKEN:
            return Reply(status=fault.number, body={}, headers=headers)
        case Misbehaviour.LOST_REQUEST | Misbehaviour.LOST_ANSWER:
            return Reply(status=LOST, body=None, headers={})
        case Misbehaviour.HELD:
            return Reply(status=status, body=body, headers=headers, hold=fault.hold)
