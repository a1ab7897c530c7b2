"""The schema gate: is there a complete, well-formed answer? One objection at most.

For profiles whose last word is a reply without calls; a finish tool's faults are answered inside
the loop instead (``loop.finish``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from loop.answer import Answer, to_resolution
from loop.decision import was_cut
from loop.model import Reply
from loop.resolution import Problem, Resolution
from tools import Action, IdForms, JsonRefused, parameters_of, parse_json, problems_of

__all__ = ["answer_schema", "judge_answer"]


def judge_answer(
    reply: Reply, forms: IdForms, actions: tuple[Action, ...], max_tokens: int
) -> Resolution | Problem:
    """Return the resolution that the reply holds, or the first objection.

    The order is that of reference facts A5: refusal, truncated, filtered, empty, malformed_json,
    schema. A finish reason of any other name decides nothing: the JSON shows that it is whole.

    Args:
        reply: the last reply of the run.
        forms: the forms of the shop's ids.
        actions: the actions that write calls staged in this run.
        max_tokens: the length that was asked for; a reply as long as that counts as cut.
    """
    text = reply.text or ""
    problem = _incomplete(reply, text, max_tokens)
    if problem is not None:
        return problem
    try:
        answer = Answer.model_validate(parse_json(text))
    except JsonRefused as error:
        return Problem(code="malformed_json", message=f"The answer is not plain JSON: {error}.")
    except ValidationError as error:
        return Problem(code="schema", message=f"The answer is refused: {problems_of(error)}.")
    if answer.order is not None and not forms.order.fits(answer.order.order_id):
        words = forms.order.words
        return Problem(code="schema", message=f"The answer is refused: order_id: must be {words}.")
    return to_resolution(answer, actions)


def answer_schema() -> Mapping[str, Any]:
    """Return the strict JSON schema of the answer, as it is offered to a model."""
    return parameters_of(Answer)


def _incomplete(reply: Reply, text: str, max_tokens: int) -> Problem | None:
    if reply.refusal:
        return Problem(code="refusal", message="The model refused to answer.")
    if was_cut(reply, max_tokens):
        return Problem(code="truncated", message="The answer was cut off by its length limit.")
    if reply.finish_reason == "content_filter":
        return Problem(code="filtered", message="A content filter withheld the answer.")
    if not text.strip():
        return Problem(code="empty", message="The reply holds no text and no call.")
    return None
