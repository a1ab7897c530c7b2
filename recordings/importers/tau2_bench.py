"""Result files of τ²-bench: one object with ``info``, ``tasks`` and ``simulations``.

Source: sierra-research/tau2-bench, ``src/tau2/data_model/`` (simulation.py, message.py) and the
submitted trajectories. The messages of the simulated user are what the agent hears; a user's own
tool calls and their answers (``requestor`` "user") are the user's affair and are left out. A
reward of 1 is success. A reply's time is there only in newer files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from loop import Message, Role
from recordings.importers.chat import Facts, items_of, usage_of
from recordings.importers.fields import (
    Malformed,
    cost_of,
    list_of,
    mapping_of,
    name_of,
    score_of,
    text_of,
    tools_of,
    us_of,
)
from recordings.importers.protocol import Fit
from recordings.importers.runs import Heard, ImportedRun, Item, Spoke
from recordings.importers.source import SourceFile
from recordings.importers.streams import EACH, Peek
from recordings.importers.tau_bench import outcome as outcome_by_words
from recordings.importers.tau_bench import rewarded
from recordings.origin import Label, Score, Source, Unknown
from tools import Kind, ToolSpec

__all__ = ["fits", "name", "runs"]

name: Final = "tau2-bench"
_SCORES: Final = ("reward", "reward_breakdown", "db_check")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    """What all simulations of a file have in common."""

    model: str
    policy: str | None
    tools: tuple[ToolSpec, ...]


def fits(peek: Peek) -> Fit:
    """Whether the file holds simulations, in one object or as single ones."""
    whole = peek.has("info.agent_info") or peek.has("simulations.*.task_id")
    single = peek.has("task_id", "termination_reason")
    return Fit.SURELY if whole or single else Fit.NO


def runs(file: SourceFile) -> Iterator[ImportedRun]:
    """Yield one run a simulation."""
    info = mapping_of(file.first("info"))
    agent = mapping_of(info.get("agent_info"))
    environment = mapping_of(info.get("environment_info"))
    setting = _Setting(
        model=name_of(agent.get("llm")),
        policy=text_of(environment.get("policy")),
        tools=tools_of(environment.get("tool_defs")),
    )
    path = ("simulations", EACH) if info else ()
    yield from file.each(lambda value, place: _run(mapping_of(value), place, file, setting), *path)


def _run(value: Mapping[str, Any], place: str, file: SourceFile, setting: _Setting) -> ImportedRun:
    reward_info = mapping_of(value.get("reward_info"))
    messages = _agents_part(list_of(value.get("messages")))
    items = _after_greeting(items_of(messages, outcome=_outcome, facts=_facts))
    if setting.policy:
        items = (Heard(message=Message(role=Role.SYSTEM, text=setting.policy)), *items)
    return ImportedRun(
        source=Source(
            format=name,
            file=file.name,
            place=place,
            task=name_of(value.get("task_id")) or None,
            trial=name_of(value.get("trial")) or None,
            ended=name_of(value.get("termination_reason")) or None,
            recorded_at=name_of(value.get("start_time") or value.get("timestamp")) or None,
        ),
        label=_label(reward_info),
        model=setting.model,
        items=items,
        tools=setting.tools,
        unknown=frozenset() if setting.tools else frozenset({Unknown.REQUESTS}),
    )


def _label(reward_info: Mapping[str, Any]) -> Label | None:
    if not reward_info:
        return None
    scores: dict[str, Score] = {
        key: score_of(reward_info[key]) for key in _SCORES if key in reward_info
    }
    return Label(success=rewarded(reward_info.get("reward")), by="reward", scores=scores)


def _agents_part(messages: list[Any] | None) -> list[Mapping[str, Any]]:
    """Return what the agent said and heard; answers that come in one message are taken apart."""
    if messages is None:
        raise Malformed("has no list of messages")
    kept: list[Mapping[str, Any]] = []
    for item in messages:
        message = mapping_of(item)
        several = list_of(message.get("tool_messages"))
        kept += map(mapping_of, several) if several is not None else [message]
    return [message for message in kept if not _is_users_own(message)]


def _after_greeting(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return the items with the greeting as something heard: it is a fixed text, no model's."""
    first = items[0]
    if not isinstance(first, Spoke) or first.reply.calls or first.reply.usage.tokens_in is not None:
        return items
    if not any(isinstance(item, Spoke) for item in items[1:]):
        raise Malformed("holds no reply of a model")
    return (Heard(message=Message(role=Role.ASSISTANT, text=first.reply.text)), *items[1:])


def _is_users_own(message: Mapping[str, Any]) -> bool:
    if message.get("role") == "tool":
        return message.get("requestor") == "user"
    return message.get("role") == "user" and message.get("content") is None


def _outcome(message: Mapping[str, Any], text: str) -> Kind:
    failed = message.get("error")
    if isinstance(failed, bool):
        return Kind.FAILED if failed else Kind.OK
    return outcome_by_words(message, text)


def _facts(message: Mapping[str, Any]) -> Facts:
    raw = mapping_of(message.get("raw_data"))
    return Facts(
        model=name_of(raw.get("model")) or None,
        finish_reason=name_of(raw.get("finish_reason") or raw.get("stop_reason")) or None,
        usage=usage_of(message.get("usage")),
        latency_us=us_of(message.get("generation_time_seconds")),
        cost=cost_of(message.get("cost")),
    )
