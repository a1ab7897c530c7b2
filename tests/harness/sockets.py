"""An app that is connected to a workspace by Socket Mode, in this process."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from slack_bolt import App

from bot.slack.backoff import Backoff
from bot.slack.socket import SlackSocket, SocketHandler
from bot.slack.troubles import Troubles
from bot.workspace import Workspace


@contextmanager
def connected(app: App, workspace: Workspace) -> Iterator[None]:
    """Hand what the workspace sends to an app, for as long as the block lasts.

    The client is ours: Slack's own now and then does not end when it is closed.
    """
    socket = SlackSocket(
        workspace.identity.app_token,
        api=workspace.base_url,
        backoff=Backoff(monotonic=time.monotonic, chance=random.random),
        troubles=Troubles(),
    )
    SocketHandler(app, socket)
    before = workspace.sockets.count
    try:
        socket.connect()
        workspace.wait_for_sockets(before + 1)
        yield
    finally:
        socket.close()
        workspace.wait_for_sockets(before)
