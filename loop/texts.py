"""Every sentence that the loop itself says to a model, apart from the profiles' instructions."""

from __future__ import annotations

from typing import assert_never

from loop.decision import Ask, Unusable

__all__ = [
    "EMPTY_TEXT",
    "equal_action",
    "finish_accepted",
    "finish_refused",
    "no_door",
    "not_looked_up",
    "not_run",
    "nudge",
    "result_message",
    "too_many_actions",
]

EMPTY_TEXT = "(The customer wrote no text.)"


def nudge(unusable: Unusable, ask: Ask) -> str:
    """What a model is told after a reply without a usable step."""
    form = (
        "Call exactly one of the offered tools"
        if ask is Ask.TOOLS
        else "Answer with exactly one JSON object of the given schema and nothing else"
    )
    return f"{_fault(unusable)} {form}; to end, use finish."


def _fault(unusable: Unusable) -> str:
    match unusable:
        case Unusable.REFUSAL:
            return "The last reply was a refusal."
        case Unusable.TRUNCATED:
            return "The last reply was cut off because it was too long, so nothing in it was used."
        case Unusable.FILTERED:
            return "The last reply was withheld by a content filter."
        case Unusable.NO_CALL:
            return "The last reply held no tool call."
        case Unusable.NOT_A_STEP:
            return "The last reply was not a step in the given form."
        case _:
            assert_never(unusable)


def not_run(cause: str) -> dict[str, object]:
    """The answer to a call that was not run."""
    return {"ok": False, "error": f"Not run: {cause}."}


def finish_accepted() -> dict[str, object]:
    """The answer to a finish that was accepted."""
    return {"ok": True}


def finish_refused(faults: str) -> dict[str, object]:
    """The answer to a finish with faults."""
    return {"ok": False, "error": f"The finish was not accepted: {faults}."}


def too_many_actions(most: int) -> dict[str, object]:
    """The answer to a write call beyond what one proposal may hold."""
    return {
        "ok": False,
        "error": f"Refused: {most} changes are waiting already, and no more fit in one proposal.",
    }


def equal_action() -> dict[str, object]:
    """The answer to a write call equal to one that is staged."""
    return {
        "ok": False,
        "error": "Refused: an equal change is waiting already. For two of an item ask for two.",
    }


def no_door() -> dict[str, object]:
    """The answer to a write call in a profile whose actions do not come as calls."""
    return {"ok": False, "error": "Refused: changes cannot be asked for by a call here."}


def not_looked_up() -> dict[str, object]:
    """The answer to a write call on an order that no tool has returned in this run."""
    return {
        "ok": False,
        "error": "Refused: no tool has returned this order in this run. Look it up first.",
    }


def result_message(name: str, text: str) -> str:
    """A result in the ``json`` way of asking, where no tool role exists."""
    return f"Result of {name}:\n{text}"
