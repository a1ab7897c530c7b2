"""Every sequence of replies over a small alphabet, against a naive restatement of the rules.

The walk is by depth: a sequence after which the run has stopped is not continued. What goes on at
the end of a sequence is ended by a provider that fails, so one run judges all its beginnings too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from loop import Duplicates, ProviderFailed, Repeat, Reply
from tests.loop.fakes import (
    ANSWER,
    FakeTool,
    OrderArguments,
    call,
    fake_tools,
    finish,
    make_work,
    read,
    reply,
    run_work,
)
from tests.loop.naive import BAD_FINISH, FINISH, NaiveRules, Said, SaidCall, expect

RESOLVER = NaiveRules(
    max_steps=8,
    max_seconds=120,
    seconds_after_step=False,
    max_dollars=None,
    repeat_any=False,
    allowed_repeats=0,
    copies_stop=False,
    max_errors=3,
    max_calls=8,
    finish_is_a_tool=True,
)
ASSISTANT = NaiveRules(
    max_steps=4,
    max_seconds=60,
    seconds_after_step=True,
    max_dollars=None,
    repeat_any=True,
    allowed_repeats=0,
    copies_stop=True,
    max_errors=None,
    max_calls=8,
    finish_is_a_tool=False,
)


@dataclass(frozen=True)
class Letter:
    """One reply of the alphabet: what the model says, and what that means to the naive rules."""

    name: str
    reply: Reply
    said: Said


def _letter(name: str, *said: SaidCall, calls: tuple[Any, ...] = (), **more: Any) -> Letter:
    return Letter(name, reply(*calls, latency_s=0, **more), Said(said))


SAME = (read(), SaidCall("same", "ok"))
FAILS = (read("LK-504504"), SaidCall("fails", "failed"))
BAD = (call("get_order", '{"order_id": 7}'), SaidCall("bad", "invalid"))
UNKNOWN = (call("refund_order"), SaidCall("unknown", "invalid"))
BAD_END = (finish("resolve"), SaidCall("", BAD_FINISH))
END = (finish(), SaidCall("", FINISH))


def _of(name: str, *parts: tuple[Any, SaidCall]) -> Letter:
    return _letter(name, *(said for _, said in parts), calls=tuple(made for made, _ in parts))


def _fresh(place: int) -> Letter:
    return _of("read", (read(f"LK-20000{place}"), SaidCall(f"read {place}", "ok")))


FIXED = (
    _of("same", SAME),
    _of("fails", FAILS),
    _of("bad arguments", BAD),
    _of("unknown", UNKNOWN),
    _letter("no call"),
    _of("bad finish", BAD_END),
    _of("finish", END),
    _of("two", FAILS, SAME),
)
WITHOUT_FINISH_TOOL = (
    *(letter for letter in FIXED if letter.name not in ("bad finish", "finish")),
    _letter("bad answer", text="{"),
    _letter("answer", text=json.dumps(ANSWER)),
)
PAIRS = (
    _of("same", SAME),
    _of("twins", SAME, SAME),
    _of("failing twins", FAILS, FAILS),
    _of("three errors and a read", FAILS, BAD, UNKNOWN, SAME),
    _of("finish between", SAME, END, FAILS),
    _of("bad finish first", BAD_END, FAILS),
    _of("read after a repeat", SAME, BAD, END),
)


def _sequences(
    rules: NaiveRules, letters: tuple[Letter, ...], length: int, so_far: tuple[Letter, ...] = ()
) -> Iterator[tuple[Letter, ...]]:
    said = [letter.said for letter in so_far]
    if len(so_far) == length or expect(rules, said).reason is not None:
        yield so_far
        return
    for letter in (_fresh(len(so_far)), *letters):
        yield from _sequences(rules, letters, length, (*so_far, letter))


def _tools() -> list[FakeTool]:
    return [FakeTool("get_order", OrderArguments, tool.answer) for tool in fake_tools()[:1]]


def _check(name: str, rules: NaiveRules, letters: tuple[Letter, ...], length: int) -> int:
    work = make_work(
        name,
        tools=_tools(),
        max_steps=rules.max_steps,
        repeat=Repeat.ANY if rules.repeat_any else Repeat.AFTER_SUCCESS,
        allowed_repeats=rules.allowed_repeats,
        duplicates_in_reply=Duplicates.STOP if rules.copies_stop else Duplicates.COLLAPSE,
        max_errors=rules.max_errors,
        max_calls_per_step=rules.max_calls,
    )
    checked = 0
    for sequence in _sequences(rules, letters, length):
        expected = expect(rules, [letter.said for letter in sequence])
        ran = run_work(work, [*(letter.reply for letter in sequence), ProviderFailed("the end")])
        names = [letter.name for letter in sequence]
        goes_on = expected.reason is None
        answers = [
            [called.result for called in ran.called if called.step == step]
            for step in range(1, expected.step + 1)
        ]
        stop = ran.ended.stop
        assert answers == expected.answers, names
        assert stop.reason.value == (expected.reason or "provider_error"), names
        assert stop.step == expected.step + goes_on, names
        if not goes_on:
            assert [_REASONS[limit] for limit in stop.also] == expected.also, names
        checked += 1
    return checked


_REASONS = {
    "max_steps": "max_steps",
    "max_seconds": "time",
    "max_cost_usd": "cost",
    "max_errors": "too_many_errors",
}


def test_resolver_rules_up_to_five_replies() -> None:
    """The resolver's rules, all sequences."""
    assert _check("resolver", RESOLVER, FIXED, 5) > 10_000


def test_assistant_rules_up_to_five_replies() -> None:
    """The assistant's rules, all sequences; a reply without calls is the finish."""
    assert _check("assistant", ASSISTANT, WITHOUT_FINISH_TOOL, 5) > 300


@pytest.mark.parametrize("copies_stop", [True, False])
@pytest.mark.parametrize("repeat_any", [True, False])
@pytest.mark.parametrize(
    ("allowed_repeats", "max_errors", "max_calls", "max_steps"),
    [(0, 3, 8, 8), (1, 2, 2, 3), (None, 4, 3, None), (2, None, 1, 2), (1, 1, None, 0)],
)
def test_other_rules_with_several_calls_in_a_reply(
    copies_stop: bool,
    repeat_any: bool,
    allowed_repeats: int | None,
    max_errors: int | None,
    max_calls: int | None,
    max_steps: int | None,
) -> None:
    """Copies, repeats that are allowed, replies with too many calls, a finish among others."""
    rules = NaiveRules(
        max_steps=max_steps,
        max_seconds=120,
        seconds_after_step=False,
        max_dollars=None,
        repeat_any=repeat_any,
        allowed_repeats=allowed_repeats,
        copies_stop=copies_stop,
        max_errors=max_errors,
        max_calls=max_calls,
        finish_is_a_tool=True,
    )
    assert _check("resolver", rules, PAIRS, 3) >= 1
