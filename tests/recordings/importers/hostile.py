"""Small valid files of every form, and what a hostile hand may put in any place of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.recordings.importers.bringing import assistant, call, tool, user
from tests.recordings.importers.test_benchmarks import tau
from tests.recordings.importers.test_inspect_logs import HEADER, sample
from tests.recordings.importers.test_otel import ASKS, RAINY, SAYS, TOOLS, USER, span
from tests.recordings.importers.test_reference import line

__all__ = ["DOCUMENTS", "LINES", "VALUES", "variants"]

_TALK = [
    user(),
    assistant(None, call("get_order", {"order_id": "LK-1", "n": 1.5}), cost=0.25),
    tool("shipped", name="get_order"),
    assistant("It is on its way.", usage={"prompt_tokens": 9, "completion_tokens": 3}),
]
_TOOL = {"type": "function", "function": {"name": "get_order", "parameters": {"type": "object"}}}
_SIMULATION = {
    "id": "s",
    "task_id": "1",
    "trial": 0,
    "termination_reason": "user_stop",
    "reward_info": {"reward": 1.0, "db_check": {"db_match": True}},
    "messages": _TALK,
}
_AGENTDOJO = {
    "suite_name": "banking",
    "pipeline_name": "gpt-4o",
    "user_task_id": "user_task_0",
    "injection_task_id": None,
    "attack_type": None,
    "utility": True,
    "security": False,
    "duration": 1.5,
    "messages": [user(), {"role": "assistant", "content": [{"type": "text", "content": "Done."}]}],
}
_SPANS = [
    span(
        1,
        500,
        gen_ai={
            "operation.name": "chat",
            "request.model": "m",
            "input.messages": [USER, ASKS, RAINY],
            "output.messages": [SAYS],
            "tool.definitions": TOOLS,
            "usage.input_tokens": 9,
        },
    ),
]

LINES: Mapping[str, Any] = {
    "reference": line(),
    "openai-messages": {"model": "m", "tools": [_TOOL], "messages": _TALK},
    "tau-bench": tau(),
    "tau2-bench": _SIMULATION,
    "agentdojo": _AGENTDOJO,
    "otel": {"resourceSpans": [{"scopeSpans": [{"spans": _SPANS}]}]},
}
"""One run of each form that may stand on one line."""
DOCUMENTS: Mapping[str, Any] = {
    "openai-messages": _TALK,
    "tau-bench": [tau()],
    "tau2-bench": {
        "info": {"agent_info": {"llm": "m"}, "environment_info": {"tool_defs": [_TOOL]}},
        "simulations": [_SIMULATION],
    },
    "inspect": {**HEADER, "samples": [sample()]},
}
"""One file of each form that is one document."""


def _deep(levels: int, opening: str, closing: str) -> str:
    return opening * levels + "1" + closing * levels


VALUES: tuple[str, ...] = (
    "null",
    "true",
    "-1",
    "0.5",
    '""',
    '"words"',
    '"\\ud800"',
    "[]",
    "{}",
    "[null]",
    '{"": [0]}',
    "NaN",
    "-Infinity",
    "1e400",
    "1e-400",
    "1e300",
    '"9e999999"',
    "1" + "0" * 30,
    "9" * 4200,
    "9" * 5000,
    _deep(180, "[", "]"),
    _deep(190, '{"a":', "}"),
    _deep(400, "[", "]"),
    _deep(5000, '{"type":', "}"),
    json.dumps(_deep(400, "[", "]")),
    json.dumps(_deep(90_000, "(", "")),
    '[{"type": "text", "text": 1e400}]',
)
"""JSON texts, and texts that Python writes for JSON."""
_HERE = "\x01here\x01"


def variants(value: Any, values: tuple[str, ...] = VALUES) -> Iterator[str]:
    """Yield the JSON text of a value with each of its places, one at a time, made hostile."""
    for changed in _changed(value):
        text = json.dumps(changed)
        for hostile in values:
            yield text.replace(json.dumps(_HERE), hostile)


def _changed(value: Any) -> Iterator[Any]:
    """Yield the value with the mark in each of its places."""
    yield _HERE
    if isinstance(value, dict):
        for key, item in value.items():
            yield from ({**value, key: new} for new in _changed(item))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from ([*value[:index], new, *value[index + 1 :]] for new in _changed(item))
