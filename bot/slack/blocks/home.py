"""App Home, the answers of ``/handrail``, the digest, and notes of one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from approvals import ApprovalsError
from bot.slack.blocks.card import action_section, decision_buttons, ref_of
from bot.slack.blocks.parts import (
    actions,
    button,
    confirm,
    context,
    divider,
    header,
    numbered,
    section,
)
from bot.slack.refs import ActionId, CallbackId, LetterRef, RunRef
from bot.slack.views import (
    Block,
    DigestView,
    HealthLine,
    HomeView,
    Letter,
    Message,
    RunLine,
    View,
    WaitingLine,
)
from bot.slack.words import answers, common
from bot.slack.words import home as words
from bot.slack.words import letters as letter_words
from loop import StopReason

__all__ = [
    "MAX_LETTERS",
    "MAX_RUNS",
    "digest_message",
    "home_view",
    "note",
    "refusal",
    "status_report",
    "waiting_list",
]

MAX_WAITING: Final = 15
MAX_MINE: Final = 10
"""Each takes up to six blocks of the hundred that a Home may have."""
MAX_LETTERS: Final = 10
"""Each takes two blocks. Who reads the store for a Home reads no more of them either."""
MAX_RUNS: Final = 10
"""Likewise: the newest."""
MAX_HEALTH: Final = 6
MAX_NOTE: Final = 2_900


def note(text: str) -> Message:
    """Return one message of a few sentences. ``text`` is ours, or made by ``markup``."""
    return Message(text=text, blocks=(section(text),))


def refusal(error: ApprovalsError) -> Message:
    """Return why a click changed nothing, for the person who clicked."""
    return note(answers.refused(error, MAX_NOTE))


def home_view(view: HomeView) -> View:
    """Return App Home of one person."""
    return {
        "type": "home",
        "callback_id": CallbackId.HOME.value,
        "blocks": list(_home(view)),
    }


def status_report(view: HomeView) -> Message:
    """Return what ``/handrail status`` answers."""
    ill = [each.name for each in view.health if not each.well]
    told = words.health_short(ill, paused=view.paused_by is not None)
    blocks = [*_pause(view), *_health(view.health), *_stops(view.stops or {})]
    return Message(text=told, blocks=numbered("status", blocks or [section(told)]))


def waiting_list(lines: Sequence[WaitingLine], count: int) -> Message:
    """Return what ``/handrail waiting`` answers: the oldest, and how many there are in all."""
    told = words.waiting_count(count)
    return Message(text=told, blocks=numbered("waiting", [section(told), *_waiting(lines, count)]))


def digest_message(view: DigestView) -> Message:
    """Return one day in numbers, with the head of the audit chain."""
    told = words.digest_short(view)
    return Message(text=told, blocks=numbered(f"digest:{view.day}", _digest(view)))


def _home(view: HomeView) -> Iterator[Block]:
    yield header(words.TITLE)
    yield context(words.role_words(view.role))
    yield from _pause(view)
    if view.operator:
        action, label = (
            (ActionId.PAUSE, words.PAUSE)
            if view.paused_by is None
            else (ActionId.RESUME, words.RESUME)
        )
        yield actions([button(action, label, RunRef(run_id=""))])
    mine = [each for each in view.waiting if each.mine]
    yield header(words.waiting_title(len(mine), of=len(view.waiting), count=view.waiting_count))
    yield from _mine(mine)
    yield from _letters(view.letters, view.letter_count)
    yield header(words.RECENT_RUNS)
    yield from _runs(view.runs)
    yield from _stops(view.stops or {})
    yield divider()
    yield from _health(view.health)


def _pause(view: HomeView) -> Iterator[Block]:
    if view.paused_by is not None:
        yield section(words.paused_words(*view.paused_by))


def _mine(lines: Sequence[WaitingLine]) -> Iterator[Block]:
    """Yield what the reader could sign, with all that the digest covers and the buttons."""
    if not lines:
        yield context(words.NOTHING_WAITS)
    for each in lines[:MAX_MINE]:
        yield _with_link(section(words.about_waiting(each)), each)
        yield from map(action_section, each.facts.actions)
        yield actions(decision_buttons(each.facts))
    if len(lines) > MAX_MINE:
        yield context(words.more_waiting(len(lines) - MAX_MINE))


def _letters(found: Sequence[Letter], count: int) -> Iterator[Block]:
    """Yield what was given up, each with what an operator can do about it; nothing if nothing."""
    if not found:
        return
    yield header(letter_words.letters_title(count))
    for each in found[:MAX_LETTERS]:
        yield section(letter_words.letter_words(each))
        yield actions(_letter_buttons(each.letter_id))
    if count > MAX_LETTERS:
        yield context(letter_words.more_letters(count - MAX_LETTERS))


def _letter_buttons(letter_id: str) -> list[dict[str, Any]]:
    ref = LetterRef(letter_id=letter_id)
    asks = confirm(
        letter_words.DISCARD_TITLE,
        letter_words.DISCARD_TEXT,
        letter_words.DISCARD_YES,
        common.NOT_NOW,
        danger=True,
    )
    retry_name = letter_words.button_name(letter_words.RETRY, letter_id)
    discard_name = letter_words.button_name(letter_words.DISCARD_YES, letter_id)
    return [
        button(ActionId.RETRY_LETTER, letter_words.RETRY, ref, name=retry_name),
        button(ActionId.DISCARD_LETTER, letter_words.DISCARD, ref, asks=asks, name=discard_name),
    ]


def _waiting(lines: Sequence[WaitingLine], count: int) -> Iterator[Block]:
    if not lines:
        yield context(words.NOTHING_WAITS)
    for each in lines[:MAX_WAITING]:
        yield _with_link(section(words.waiting_words(each)), each)
    if count > MAX_WAITING:
        yield context(words.more_waiting(count - MAX_WAITING))


def _with_link(block: Block, each: WaitingLine) -> Block:
    """Return a block with the button that leads to the card, once that is posted."""
    if each.link is not None:
        ref = ref_of(each.facts)
        name = words.open_name(each.facts.proposal.proposal_id)
        block["accessory"] = button(ActionId.OPEN, words.OPEN, ref, name=name) | {"url": each.link}
    return block


def _runs(lines: Sequence[RunLine]) -> Iterator[Block]:
    if not lines:
        yield context(words.NO_RUN)
        return
    yield section("\n".join(map(words.run_words, lines[:MAX_RUNS])))


def _stops(stops: Mapping[StopReason, int]) -> Iterator[Block]:
    if told := words.stops_words(stops):
        yield context(told)


def _health(lines: Sequence[HealthLine]) -> Iterator[Block]:
    for each in lines[:MAX_HEALTH]:
        yield context(words.health_line(each))


def _digest(view: DigestView) -> Iterator[Block]:
    yield header(words.digest_title(view.day))
    yield section(words.digest_runs(view))
    yield section(words.digest_proposals(view))
    yield from _stops(view.stops)
    if view.dead_letters:
        yield section(words.dead_words(view.dead_letters))
    yield context(words.digest_head(view.audit))
