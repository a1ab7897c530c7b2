"""The schema gate: one objection at most, in a fixed order."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop.answer import MAX_REASON_CHARS, MAX_REPLY_CHARS
from loop.gates import answer_schema, judge_answer
from loop.model import Reply, Usage
from loop.resolution import Confidence, Language, OrderClaim, Outcome, Problem, Resolution
from tests.loop.gates.replies import FORMS, MAX_TOKENS, a_reply, an_answer
from tools import Action, IdForm, IdForms, ReshipItem

RESHIP = ReshipItem(order_id="LK-581106", sku="SHED", quantity=1)


def judged(reply: Reply, actions: tuple[Action, ...] = ()) -> Resolution | Problem:
    """Judge with the practice shop's forms."""
    return judge_answer(reply, FORMS, actions, MAX_TOKENS)


def code(reply: Reply) -> str | None:
    """Return the code of the objection, or None."""
    result = judged(reply)
    return result.code if isinstance(result, Problem) else None


def test_a_good_answer_becomes_a_resolution() -> None:
    order = {"order_id": "LK-581106", "status": "shipped"}

    assert Resolution(
        outcome=Outcome.REPLY_ONLY,
        reply="Thank you for your message; we will look into the parcel.",
        reason="A question about a parcel.",
        team="delivery",
        language=Language.EN,
        confidence=Confidence.HIGH,
        order=OrderClaim(order_id="LK-581106", status="shipped"),
    ) == judged(a_reply(an_answer(order=order)))


FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("refusal", {"refusal": "I cannot help with that."}),
    ("truncated", {"finish_reason": "length"}),
    ("filtered", {"finish_reason": "content_filter"}),
    ("empty", {"text": " \n"}),
    ("malformed_json", {"text": "```json\n{}\n```"}),
    ("schema", {"text": "{}"}),
]


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_each_fault_has_its_code(name: str, fault: dict[str, Any]) -> None:
    assert name == code(replace(a_reply(an_answer()), **fault))


PAIRS = [
    (name, first | second)
    for index, (name, first) in enumerate(FAULTS)
    for _, second in FAULTS[index + 1 :]
    if not first.keys() & second.keys()
]


@pytest.mark.parametrize(("name", "faults"), PAIRS)
def test_of_two_faults_the_earlier_decides(name: str, faults: dict[str, Any]) -> None:
    assert code(replace(a_reply(an_answer()), **faults)) == name


@pytest.mark.parametrize(("tokens", "expected"), [(999, None), (1000, "truncated")])
def test_a_reply_as_long_as_asked_for_counts_as_cut(tokens: int, expected: str | None) -> None:
    assert expected == code(a_reply(an_answer(), usage=Usage(tokens_out=tokens)))


@pytest.mark.parametrize("finish_reason", [None, "end_turn", "something new"])
def test_a_finish_reason_of_another_name_decides_nothing(finish_reason: str | None) -> None:
    assert code(a_reply(an_answer(), finish_reason=finish_reason)) is None
    assert code(a_reply(None, finish_reason=finish_reason)) == "empty"


@pytest.mark.parametrize(
    "changes",
    [
        {"team": "sales"},
        {"more": 1},
        {"language": "de"},
        {"confidence": "certain"},
        {"needs_human": "true"},
        {"needs_human": 0},
        {"reason": None},
        {"reason": "x" * (MAX_REASON_CHARS + 1)},
        {"reply": ""},
        {"reply": "x" * (MAX_REPLY_CHARS + 1)},
        {"order": "LK-581106"},
        {"order": {"order_id": "LK-581106"}},
        {"order": {"order_id": "LK-581106", "status": "lost"}},
        {"order": {"order_id": "LK-55190", "status": None}},
        {"order": {"order_id": "LK-581106", "status": None, "total": 1}},
    ],
)
def test_the_schema_is_strict(changes: dict[str, Any]) -> None:
    assert code(a_reply(an_answer(**changes))) == "schema"


def test_every_key_is_required() -> None:
    for key in json.loads(an_answer()):
        answer = json.loads(an_answer())
        del answer[key]

        assert code(a_reply(json.dumps(answer))) == "schema"


@pytest.mark.parametrize(
    "changes",
    [
        {"reason": "x" * MAX_REASON_CHARS},
        {"reply": "x" * MAX_REPLY_CHARS},
        {"reply": "x"},
        {"order": {"order_id": "LK-581106", "status": "partly_delivered"}},
        {"order": {"order_id": "LK-581106", "status": None}},
    ],
)
def test_the_bounds_are_inclusive(changes: dict[str, Any]) -> None:
    assert code(a_reply(an_answer(**changes))) is None


def test_the_form_of_an_order_id_is_the_shops() -> None:
    forms = IdForms(order=IdForm("[0-9]{8}", "8 digits"))
    reply = a_reply(an_answer(order={"order_id": "20261009", "status": None}))

    assert isinstance(judge_answer(reply, forms, (), MAX_TOKENS), Resolution)
    assert code(reply) == "schema"


def test_an_objection_holds_nothing_of_what_the_model_wrote() -> None:
    for text in (an_answer(team="canary"), "canary", an_answer(canary=1, order={"order_id": "x"})):
        problem = judged(a_reply(text))

        assert isinstance(problem, Problem)
        assert "canary" not in problem.message


def test_staged_actions_make_it_a_resolve() -> None:
    result = judged(a_reply(an_answer()), (RESHIP,))

    assert isinstance(result, Resolution)
    assert (result.outcome, result.actions) == (Outcome.RESOLVE, (RESHIP,))


def test_an_answer_that_needs_a_person_carries_no_action() -> None:
    result = judged(a_reply(an_answer(needs_human=True)), (RESHIP,))

    assert isinstance(result, Resolution)
    assert (result.outcome, result.actions) == (Outcome.HAND_TO_PERSON, ())
    assert result.needs_human


def test_the_offered_schema_is_strict_to_the_leaves() -> None:
    schema = answer_schema()
    order = next(branch for branch in schema["properties"]["order"]["anyOf"] if len(branch) > 1)

    for part in (schema, order):
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
    assert list(schema["properties"]) == list(json.loads(an_answer()))
    assert schema["properties"]["language"]["enum"] == ["en", "fr"]


@given(st.text(st.characters(), max_size=300), st.text() | st.none())
def test_any_reply_is_judged_without_an_exception(text: str, finish_reason: str | None) -> None:
    assert code(a_reply(text, finish_reason=finish_reason)) is not None
