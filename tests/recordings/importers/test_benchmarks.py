"""Result files of τ-bench, τ²-bench and AgentDojo."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from loop import Asked, Role
from recordings import RecordingUnreadable, Unknown
from tests.recordings.importers.bringing import assistant, bring, call, tool, user, write_json
from tools import Kind

SYSTEM = {"role": "system", "content": "Airline policy."}


def tau(**changes: Any) -> dict[str, Any]:
    """Return a run as τ-bench writes it."""
    traj = [
        SYSTEM,
        user(),
        assistant(None, call("get_user_details")),
        tool("Error: user not found", name="get_user_details"),
        assistant(None, call("get_user_details", '{"id": 2}')),
        tool('{"name": "Mia"}', name="get_user_details"),
        assistant("Done."),
        user("###STOP###"),
    ]
    return {"task_id": 4, "reward": 1.0, "info": {}, "traj": traj, "trial": 2} | changes


def test_a_run_of_tau_bench_has_its_reward_as_label(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, [tau(), tau(reward=0.0)]))

    labels = [each.label for each in brought.recordings]
    assert brought.file.format == "tau-bench"
    assert [each and (each.success, each.by, each.scores) for each in labels] == [
        (True, "reward", {"reward": 1.0}),
        (False, "reward", {"reward": 0.0}),
    ]
    source = brought.recordings[0].source
    assert source is not None
    assert (source.task, source.trial, source.place) == ("4", "2", "item 1")


@pytest.mark.parametrize(
    ("reward", "success"), [(0.999998, False), (0.9999995, True), (None, None), (True, None)]
)
def test_only_a_reward_of_1_is_success(tmp_path: Path, reward: Any, success: bool | None) -> None:
    brought = bring(write_json(tmp_path, [tau(reward=reward)]))

    assert brought.only.label is not None
    assert brought.only.label.success is success


def test_tau_bench_tells_a_fault_by_its_first_word(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, [tau()]))

    assert [each.result for each in brought.called()] == [Kind.FAILED, Kind.OK]
    assert Unknown.OUTCOMES not in brought.only.unknown


def test_a_run_that_broke_off_has_a_reward_and_no_verdict(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, [tau(reward=0.0, info={"error": "time-out"})]))

    assert brought.only.source is not None
    assert brought.only.source.ended == "error"
    assert brought.only.label is not None
    assert brought.only.label.success is None


def test_a_run_without_a_reply_is_named(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, [tau(traj=[], info={"error": "EOF"}), tau()]))

    assert brought.problems == ["item 1: holds no reply of a model"]
    assert len(brought.recordings) == 1


def tau2(*messages: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a file of one simulation as τ²-bench writes it."""
    simulation = {
        "id": "s",
        "task_id": "7",
        "trial": 0,
        "termination_reason": "user_stop",
        "reward_info": {"reward": 1.0, "reward_breakdown": {"DB": 1.0}},
        "messages": list(messages),
    }
    info = {
        "agent_info": {"llm": "claude"},
        "environment_info": {"domain_name": "retail", "policy": "Be kind.", "tool_defs": None},
    }
    return {"timestamp": "x", "info": info, "tasks": [], "simulations": [simulation | changes]}


GREETING = assistant("Hi! How can I help?", cost=0.0)
LOOK_UP = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "t1", "name": "get_order", "arguments": {"id": "W1"}, "requestor": "assistant"}
    ],
    "cost": 0.25,
    "usage": {"prompt_tokens": 100, "completion_tokens": 7},
    "raw_data": {"model": "claude-4", "stop_reason": "tool_use"},
    "generation_time_seconds": 1.5,
}
FOUND = {"role": "tool", "id": "t1", "content": "shipped", "error": False, "requestor": "assistant"}


def test_a_simulation_has_costs_tokens_times_and_outcomes(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, tau2(GREETING, user(), LOOK_UP, FOUND, LOOK_UP)))

    reply = brought.replies()[0]
    assert (reply.model, reply.finish_reason) == ("claude-4", "tool_use")
    assert (reply.cost.usd, reply.usage.tokens_in, reply.latency_us) == (
        Decimal("0.25"),
        100,
        1_500_000,
    )
    assert [each.result for each in brought.called()] == [Kind.OK]
    assert brought.only.label is not None
    assert brought.only.label.success is True
    assert brought.only.source is not None
    assert brought.only.source.ended == "user_stop"


def test_the_policy_and_the_greeting_are_what_the_model_heard(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, tau2(GREETING, user(), LOOK_UP)))

    asked = next(e.record for e in brought.only.entries if isinstance(e.record, Asked))
    assert [(each.role, each.text) for each in asked.appended] == [
        (Role.SYSTEM, "Be kind."),
        (Role.ASSISTANT, "Hi! How can I help?"),
        (Role.USER, "Where is my parcel?"),
    ]


def test_what_the_user_does_with_tools_is_left_out(tmp_path: Path) -> None:
    own = user() | {"content": None, "tool_calls": [call()]}
    answer = FOUND | {"requestor": "user", "id": "u1"}

    brought = bring(write_json(tmp_path, tau2(GREETING, user(), own, answer, LOOK_UP, FOUND)))

    assert (len(brought.only.exchanges), len(brought.called())) == (1, 1)


def test_answers_that_come_in_one_message_are_taken_apart(tmp_path: Path) -> None:
    both = {
        "role": "tool",
        "id": "m",
        "tool_messages": [FOUND, FOUND | {"id": "t2", "error": True}],
    }
    calls = [*LOOK_UP["tool_calls"], {"id": "t2", "name": "get_user", "arguments": {}}]  # type: ignore[misc]

    brought = bring(write_json(tmp_path, tau2(user(), LOOK_UP | {"tool_calls": calls}, both)))

    assert [each.result for each in brought.called()] == [Kind.OK, Kind.FAILED]


def test_a_cost_of_null_is_unknown(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, tau2(user(), LOOK_UP | {"cost": None})))

    assert brought.replies()[0].cost.usd is None
    assert Unknown.COST in brought.only.unknown


def dojo(**changes: Any) -> dict[str, Any]:
    """Return a run as AgentDojo writes it."""
    asked = {
        "function": "get_balance",
        "args": {"user": "me"},
        "id": "t1",
        "placeholder_args": None,
    }
    messages = [
        {"role": "system", "content": [{"type": "text", "content": "You help."}]},
        {"role": "user", "content": [{"type": "text", "content": "Pay."}]},
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {
            "role": "tool",
            "content": "",
            "tool_call_id": "t1",
            "tool_call": asked,
            "error": "denied",
        },
        {"role": "assistant", "content": [{"type": "text", "content": "No."}], "tool_calls": None},
    ]
    return {
        "suite_name": "banking",
        "pipeline_name": "gpt-4o",
        "user_task_id": "user_task_0",
        "injection_task_id": "injection_task_1",
        "attack_type": "important_instructions",
        "injections": {},
        "messages": messages,
        "error": None,
        "utility": False,
        "security": True,
        "duration": 3.5,
    } | changes


def test_a_run_of_agentdojo_has_utility_as_label_and_security_beside(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, dojo()))

    assert brought.only.label is not None
    assert brought.only.label.success is False
    assert brought.only.label.scores == {"utility": False, "security": True, "duration": 3.5}
    assert brought.only.ticket_id == "banking/user_task_0/injection_task_1"


def test_a_call_of_agentdojo_is_told_its_fault(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, dojo()))

    (called,) = brought.called()
    assert (called.name, called.text, called.result) == ("get_balance", "denied", Kind.FAILED)
    assert brought.replies()[0].calls[0].arguments == '{"user": "me"}'


def test_texts_of_older_files_are_plain(tmp_path: Path) -> None:
    said = [user("Pay."), assistant("Done.")]

    brought = bring(write_json(tmp_path, dojo(messages=said)))

    assert brought.replies()[0].text == "Done."


def test_every_file_of_a_tree_is_read_under_its_own_name(tmp_path: Path) -> None:
    tree = tmp_path / "runs"
    for suite in ("banking", "slack"):
        folder = tree / suite / "user_task_0"
        folder.mkdir(parents=True)
        write_json(folder, dojo(suite_name=suite), name="none.json")
    (tree / "notes.json").write_text('{"a": 1}', encoding="utf-8")
    (tree / "README.md").write_text("not looked at", encoding="utf-8")

    brought = bring(tree)

    assert [each.name for each in brought.recordings] == [
        "banking/user_task_0/none.json#1",
        "slack/user_task_0/none.json#1",
    ]
    assert [each.runs for each in brought.report.files] == [1, 0, 1]
    assert "none of the forms" in brought.report.files[1].not_read[0].problem


def test_nothing_at_all_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    path = write_json(tmp_path, [tau(traj=[])])

    with pytest.raises(RecordingUnreadable, match="nothing could be read: item 1: holds no reply"):
        bring(path)

    assert [each.name for each in tmp_path.iterdir()] == ["file.json"]
