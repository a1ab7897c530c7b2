"""The watch: gaps are read, a deaf socket is replaced, and a quiet channel is left alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.slack.catch_up import CaughtUp
from bot.slack.watch import QUIET_S, READ_AGAIN_S, Watch

HELLO = '{"type": "hello"}'
LIMITED = '{"envelope_id": "e", "payload": {"token": "t", "type": "app_rate_limited"}}'
PRESS = '{"type": "interactive"}'


class Scene:
    """A watch with a clock, a history to read, and a socket that counts its replacements."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.answers: list[CaughtUp] = []
        self.on_read: Callable[[], CaughtUp] | None = None
        self.read = 0
        self.afresh: list[bool] = []
        self.replaced = 0
        self.watch = Watch(self.catch_up, monotonic=lambda: self.seconds)
        self.watch.look(self)  # what came before the start is read once

    def catch_up(self, *, afresh: bool) -> CaughtUp:
        self.read += 1
        self.afresh.append(afresh)
        if self.on_read is not None:
            on_read, self.on_read = self.on_read, None
            return on_read()
        return self.answers.pop(0) if self.answers else CaughtUp()

    def connect_to_new_endpoint(self, force: bool = False) -> None:
        assert force
        self.replaced += 1

    def after(self, seconds: float) -> tuple[int, int]:
        """Look after some time; return how often was read and replaced in all."""
        self.seconds += seconds
        self.watch.look(self)
        return self.read, self.replaced


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_a_greeting_begins_a_connection_and_what_came_before_it_is_read(scene: Scene) -> None:
    scene.watch.heard(PRESS)
    assert scene.after(1) == (1, 0)
    scene.watch.heard(HELLO)
    assert scene.after(1) == (2, 0)


def test_case_64_a_silence_in_which_something_was_posted_replaces_the_socket(
    scene: Scene,
) -> None:
    assert scene.after(QUIET_S) == (1, 0)
    scene.answers = [CaughtUp(found=1)]
    assert scene.after(1) == (2, 1)
    assert scene.afresh[-1]


def test_a_silence_in_which_nothing_was_posted_is_a_quiet_afternoon(scene: Scene) -> None:
    assert scene.after(QUIET_S + 1) == (2, 0)
    assert scene.after(QUIET_S) == (2, 0)
    assert scene.after(1) == (3, 0)


def test_what_is_found_after_a_new_connection_does_not_replace_it(scene: Scene) -> None:
    scene.seconds += QUIET_S
    scene.watch.heard(HELLO)
    scene.answers = [CaughtUp(found=7)]

    assert scene.after(1) == (2, 0)


def test_a_gap_that_could_not_be_read_is_read_again_a_minute_later(scene: Scene) -> None:
    scene.watch.heard(HELLO)
    scene.answers = [CaughtUp(whole=False)]
    assert scene.after(1) == (2, 0)
    assert scene.after(READ_AGAIN_S - 1)[0] == 2
    assert scene.after(1)[0] == 3
    assert scene.after(READ_AGAIN_S)[0] == 3


def test_what_slack_left_out_because_there_was_too_much_is_read_when_its_minute_is_over(
    scene: Scene,
) -> None:
    scene.watch.heard(LIMITED)
    assert scene.after(READ_AGAIN_S - 1) == (1, 0)
    assert scene.after(1) == (2, 0)
    assert scene.after(1) == (2, 0)


def test_the_rest_of_a_reading_is_read_and_after_another_gap_every_channel(scene: Scene) -> None:
    scene.answers = [CaughtUp(whole=False) for _ in range(3)]
    scene.watch.heard(HELLO)
    scene.after(1)
    scene.after(READ_AGAIN_S)
    scene.watch.heard(HELLO)
    scene.after(READ_AGAIN_S)
    scene.after(READ_AGAIN_S)
    assert scene.after(READ_AGAIN_S) == (5, 0)
    assert scene.afresh == [True, True, False, True, False]


def test_word_that_slack_leaves_out_while_it_is_read_is_waited_for_though_a_rest_is_due(
    scene: Scene,
) -> None:
    def told() -> CaughtUp:
        scene.seconds += 30
        scene.watch.heard(LIMITED)
        return CaughtUp(whole=False)

    scene.on_read = told
    scene.watch.heard(HELLO)
    scene.after(1)
    assert scene.after(READ_AGAIN_S - 1)[0] == 2
    assert scene.after(1)[0] == 3
    assert scene.afresh == [True, True, True]
