"""The socket when Slack closes it, has too many of it, or gives no address."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress

import pytest
from slack_sdk.errors import SlackClientNotConnectedError
from slack_sdk.socket_mode.builtin.connection import Connection

from bot.slack.backoff import CALM_S, LONGEST_S, Backoff
from bot.slack.errors import SlackUnreachable
from bot.slack.socket import OPEN, SlackSocket
from bot.slack.troubles import Troubles
from bot.workspace import Channel, TookTooLong, User, Workspace


class Hand:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    """A workspace with nobody in it but one user."""
    channel = Channel(id="C0SUPPORT", name="support", members=("U0ANN",))
    with Workspace(users=[User(id="U0ANN", name="ann")], channels=[channel]) as place:
        yield place


@pytest.fixture
def backoff(hand: Hand) -> Backoff:
    """What says when to try again, on the test's clock."""
    return Backoff(monotonic=hand, chance=lambda: 0.999)


@pytest.fixture
def connect(workspace: Workspace, backoff: Backoff) -> Iterator[Callable[[], SlackSocket]]:
    """Open a socket whose waits are on the test's clock; it is closed at the end."""
    with ExitStack() as stack:

        def open_() -> SlackSocket:
            socket = SlackSocket(
                workspace.identity.app_token,
                api=workspace.base_url,
                backoff=backoff,
                troubles=Troubles(),
                ping_s=1.0,
            )
            stack.callback(socket.close)
            return socket

        yield open_


def opened(workspace: Workspace) -> int:
    """Count the addresses that were asked for."""
    return len(workspace.calls(OPEN))


def until(workspace: Workspace, condition: Callable[[], bool], what: str) -> None:
    """Wait for something that rings no bell of the workspace."""
    for _ in range(200):
        with suppress(TookTooLong):
            workspace.wait_for(condition, seconds=0.05)
            return
    raise TookTooLong(what)


def wait_until_refused(workspace: Workspace, backoff: Backoff) -> None:
    """Wait until the client knows that it is to wait."""
    until(workspace, lambda: not backoff.may_try, "the client did not take it for a refusal")


def wait_until_new(workspace: Workspace, socket: SlackSocket, old: str | None) -> str | None:
    """Wait until another connection than the old one stands, alone; return its name."""
    until(workspace, lambda: socket.session_id() != old and socket.is_connected(), "no new one")
    workspace.wait_for_sockets(1)
    return socket.session_id()


def test_the_wait_doubles_up_to_its_longest_and_starts_over_after_a_calm(hand: Hand) -> None:
    backoff = Backoff(monotonic=hand, chance=lambda: 1.0)
    waits = []
    for _ in range(10):
        backoff.failed()
        began = hand.seconds
        while not backoff.may_try:
            hand.seconds += 0.5
        waits.append(hand.seconds - began)
    hand.seconds += CALM_S
    backoff.failed()
    hand.seconds += 2

    assert waits[:4] == [2, 4, 8, 16]
    assert waits[-1] == LONGEST_S
    assert backoff.may_try


def test_two_processes_that_fail_together_do_not_come_back_together(hand: Hand) -> None:
    early = Backoff(monotonic=hand, chance=lambda: 0.0)
    late = Backoff(monotonic=hand, chance=lambda: 0.9)
    early.failed()
    late.failed()
    hand.seconds += 1

    assert (early.may_try, late.may_try) == (True, False)


def test_a_socket_that_slack_refreshes_is_replaced_at_once(
    workspace: Workspace, connect: Callable[[], SlackSocket]
) -> None:
    socket = connect()
    socket.connect()
    first = wait_until_new(workspace, socket, None)
    workspace.sockets.disconnect("refresh_requested")

    wait_until_new(workspace, socket, first)
    assert opened(workspace) == 2


def test_case_67_too_many_websockets_is_backed_off_from_and_said_once(
    workspace: Workspace,
    connect: Callable[[], SlackSocket],
    backoff: Backoff,
    hand: Hand,
    caplog: pytest.LogCaptureFixture,
) -> None:
    socket, session = connect(), None
    socket.connect()
    for turn in range(1, 6):
        session = wait_until_new(workspace, socket, session)
        workspace.sockets.disconnect("too_many_websockets")
        wait_until_refused(workspace, backoff)
        hand.seconds += 2.0**turn * 0.99  # the wait is not over: nobody may call
        assert not backoff.may_try
        assert opened(workspace) == turn
        hand.seconds += 2.0**turn

    wait_until_new(workspace, socket, session)
    assert opened(workspace) == 6
    assert caplog.text.count("too_many_websockets") == 1


def test_an_app_token_that_is_revoked_while_it_runs_is_said_once_and_tried_ever_later(
    workspace: Workspace,
    connect: Callable[[], SlackSocket],
    backoff: Backoff,
    hand: Hand,
    caplog: pytest.LogCaptureFixture,
) -> None:
    socket = connect()
    socket.connect()
    first = wait_until_new(workspace, socket, None)
    workspace.faults.refuse(OPEN, "token_revoked", times=3)
    workspace.sockets.disconnect("refresh_requested")
    for tries in range(2, 5):
        wait_until_refused(workspace, backoff)
        assert opened(workspace) == tries
        hand.seconds += LONGEST_S

    wait_until_new(workspace, socket, first)
    told = [each for each in caplog.messages if "token_revoked" in each]
    assert len(told) == 1
    assert "connections:write" in told[0]


def test_the_wait_that_slack_asks_for_is_kept(
    workspace: Workspace, connect: Callable[[], SlackSocket], backoff: Backoff, hand: Hand
) -> None:
    socket = connect()
    socket.connect()
    first = wait_until_new(workspace, socket, None)
    workspace.faults.rate_limit(OPEN, 90)
    workspace.sockets.disconnect("refresh_requested")
    wait_until_refused(workspace, backoff)
    hand.seconds += 89
    assert not backoff.may_try
    hand.seconds += 1

    wait_until_new(workspace, socket, first)
    assert opened(workspace) == 3


def test_a_socket_that_is_closed_while_it_connects_ends_and_stays_closed(
    workspace: Workspace, connect: Callable[[], SlackSocket]
) -> None:
    socket = connect()
    socket.connect()
    wait_until_new(workspace, socket, None)
    hold = workspace.faults.hold(OPEN)
    workspace.sockets.disconnect("refresh_requested")
    assert hold.reached.wait(10)
    closing = threading.Thread(target=socket.close)
    closing.start()
    hold.release()
    closing.join(20)

    assert not closing.is_alive()
    workspace.wait_for_sockets(0)


def test_a_socket_ends_although_a_worker_still_answers(
    workspace: Workspace, connect: Callable[[], SlackSocket]
) -> None:
    socket = connect()
    socket.connect()
    wait_until_new(workspace, socket, None)
    gone = threading.Event()

    def answer() -> None:
        gone.wait(10)
        with suppress(SlackClientNotConnectedError):
            socket.send_message("{}")

    socket.message_workers.submit(answer)
    closing = threading.Thread(target=socket.close, daemon=True)
    closing.start()
    workspace.wait_for_sockets(0)
    gone.set()
    closing.join(20)

    assert not closing.is_alive()


def test_at_the_start_an_app_token_that_slack_does_not_know_is_said(
    workspace: Workspace, connect: Callable[[], SlackSocket]
) -> None:
    workspace.faults.refuse(OPEN, "invalid_auth")

    with pytest.raises(SlackUnreachable, match="invalid_auth") as raised:
        connect().connect()
    assert "SLACK_APP_TOKEN" in raised.value.hint


def test_a_socket_that_is_closed_as_its_reader_begins_is_closed(
    workspace: Workspace, connect: Callable[[], SlackSocket], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slack's client would wait for ever for the end of that reader."""
    socket = connect()
    reader = socket.current_session_runner.thread
    begun, go_on = threading.Event(), threading.Event()
    really = Connection.is_active

    def is_active(connection: Connection) -> bool:
        found = really(connection)
        if found and threading.current_thread() is reader and not begun.is_set():
            begun.set()
            assert go_on.wait(10)
        return found

    monkeypatch.setattr(Connection, "is_active", is_active)
    socket.connect()
    assert begun.wait(10)
    closing = threading.Thread(target=socket.close, daemon=True)
    closing.start()
    workspace.wait_for_sockets(0)
    go_on.set()
    closing.join(10)

    assert not closing.is_alive()
    assert not reader.is_alive()
