"""The gates: checks of a run's answer, after the loop. They set the result and change nothing."""

from __future__ import annotations

from loop.gates.rules import MESSAGES, GateFacts, judge_resolution
from loop.gates.schema import answer_schema, judge_answer

__all__ = ["MESSAGES", "GateFacts", "answer_schema", "judge_answer", "judge_resolution"]
