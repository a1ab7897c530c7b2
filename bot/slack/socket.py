"""The socket to Slack: connected anew when it ends, ever more slowly where that keeps failing.

Slack's own client connects anew at once, whatever it was closed for. Where Slack closes a socket
because the app has too many (``too_many_websockets``), that would open and close sockets for ever,
and take their turns from the processes that have theirs.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from socket import SHUT_RDWR
from typing import Final

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk.socket_mode.builtin import SocketModeClient
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from bot.slack.backoff import Backoff
from bot.slack.calls import Calls, Limited, Lost, Refused, Took, web_client
from bot.slack.errors import SlackUnreachable, WrongShape
from bot.slack.lost import lost_text
from bot.slack.shapes import Outline, check
from bot.slack.troubles import Troubles

__all__ = ["SlackSocket", "SocketHandler"]

RECEIVE_BYTES: Final = 65_536
"""Read from the socket at once; the largest press is about twice that."""
PING_S: Final = 10.0
"""How often the client looks whether the other end is there."""
OPEN: Final = "apps.connections.open"
TOO_MANY: Final = "Slack has too many sockets of this app"
NO_SOCKET: Final = "no socket can be opened"
_TO_DO: Final = (
    "make an app-level token with the scope connections:write on the app's page, and give it to"
    " handrail as SLACK_APP_TOKEN"
)
_AGAIN: Final = "it is tried again, ever more slowly"
_log: Final = logging.getLogger("handrail.slack.socket")


class SlackSocket(SocketModeClient):
    """A Socket Mode client that waits between tries and says once what is wrong.

    Args:
        app_token: the app-level token.
        api: the address of the Web API.
        backoff: says when to try again.
        troubles: told what a person has to repair.
        ping_s: seconds between two looks at the connection.
    """

    def __init__(
        self,
        app_token: str,
        *,
        api: str,
        backoff: Backoff,
        troubles: Troubles,
        ping_s: float = PING_S,
    ) -> None:
        client = web_client(app_token, api=api)
        self._calls = Calls(client)
        self._backoff = backoff
        self._troubles = troubles
        super().__init__(
            app_token=app_token,
            logger=_log,
            web_client=client,
            ping_interval=ping_s,
            receive_buffer_size=RECEIVE_BYTES,
        )

    def issue_new_wss_url(self) -> str:
        """Ask for the address of a new connection.

        Raises:
            SlackUnreachable: Slack gave none.
        """
        answer = self._calls.write(OPEN, {})
        match answer:
            case Took(data=data):
                return str(data["url"])
            case Limited(wait_s=wait_s):
                raise SlackUnreachable(OPEN, "ratelimited", hint=_AGAIN, passes=True, wait_s=wait_s)
            case Refused(code=code):
                raise SlackUnreachable(OPEN, code, hint=_TO_DO)
            case Lost(code=code) as lost:
                told, hint = lost_text(OPEN, lost), f"check the network; {_AGAIN}"
                raise SlackUnreachable(OPEN, code, told=told, hint=hint, passes=True)

    def connect_to_new_endpoint(self, force: bool = False) -> None:  # noqa: FBT001, FBT002 - Slack's
        """Open a new connection in place of the present one, unless it is too early for that.

        Whoever finds the connection closed calls this again and again, so nothing is lost by it.
        """
        if self.closed or not self._backoff.may_try:
            return
        try:
            super().connect_to_new_endpoint(force)
        except SlackUnreachable as error:
            self._failed(str(error), error.hint, wait_s=error.wait_s)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client asks again
            self._failed(f"{type(error).__name__}: {error}", _AGAIN)
        else:
            self._judge()

    def _judge(self) -> None:
        """See whether a connection came of it: the client says nothing where none did."""
        if self.is_connected() or self.closed:
            self._troubles.over(NO_SOCKET)
        else:
            self._failed("the address that Slack gave cannot be connected to", _AGAIN)

    def _failed(self, why: str, to_do: str, *, wait_s: float = 0.0) -> None:
        self._backoff.failed(at_least_s=wait_s)
        self._troubles.tell(NO_SOCKET, "no socket to Slack: %s. To do: %s", why, to_do)

    def connect(self) -> None:
        """Connect, unless the socket was closed for good in the meantime.

        Raises:
            SlackUnreachable: Slack gave no address.
        """
        if not self.closed:
            super().connect()

    def close(self) -> None:
        """Close for good. A connection that is being made is waited for, or it would be left open.

        Slack's client would then wait for ever: for the end of a connection that nobody ends. The
        lock is let go before the workers are waited for: one that answers needs it too.
        """
        self.closed = True
        with self.connect_operation_lock:
            pass  # from here on nobody makes a connection
        self._wake_reader()
        super().close()

    def _wake_reader(self) -> None:
        """End the wait of the reader, which holds the lock that closing takes: up to 3 seconds."""
        self.auto_reconnect_enabled = False
        self.current_session_state.terminated = True
        sock = None if self.current_session is None else self.current_session.sock
        if sock is not None:
            with suppress(OSError):  # it is closed already
                sock.shutdown(SHUT_RDWR)

    def _run_current_session(self) -> None:
        """Read the present connection until its state says that it is over.

        Slack's own (slack_sdk 3.48) takes that mark back as it begins, and asks for the connection
        before the state. Where the connection is closed or replaced in between, it would read what
        is closed for ever: ``close`` would never return, and a new connection never be read.
        """
        state = self.current_session_state  # first: of a newer connection it is not marked yet
        session = self.current_session
        if session is not None and session.is_active():
            session.run_until_completion(state)

    def enqueue_message(self, message: str) -> None:
        """Take a frame, and slow down first where it says that there are too many sockets."""
        if _says_too_many(message):
            self._backoff.failed()
            self._troubles.tell(
                TOO_MANY,
                "Slack closed our socket: the app has more than 10 (too_many_websockets). To do:"
                " end other programs that use this SLACK_APP_TOKEN; it is tried again, ever more"
                " slowly",
            )
        elif self._backoff.is_calm:
            self._troubles.over(TOO_MANY)
        super().enqueue_message(message)


class SocketHandler(SocketModeHandler):
    """Hands what a socket brings to a Bolt app."""

    def __init__(self, app: App, socket: SlackSocket) -> None:
        # Without the parent's own: it would make another client, with threads of its own.
        self.app = app
        self.app_token = socket.app_token
        self.client = socket
        socket.socket_mode_request_listeners.append(self.handle)

    def handle(self, client: BaseSocketModeClient, req: SocketModeRequest) -> None:
        """Hand a request on, or drop what Bolt cannot read: Slack would send it for ever."""
        try:
            check(Outline, req.payload, "request")
        except WrongShape as error:
            _log.warning("a delivery was refused: %s", error)
            client.send_socket_mode_response(SocketModeResponse(envelope_id=req.envelope_id))
            return
        super().handle(self.client, req)


def _says_too_many(message: str) -> bool:
    """Whether a frame ends the connection for that reason. Most frames are not even parsed."""
    if '"disconnect"' not in message[:500]:
        return False
    frame = json.loads(message)
    return (frame.get("type"), frame.get("reason")) == ("disconnect", "too_many_websockets")
