"""The rules of ending, said again in the plainest way, from the design text alone.

Lists, dictionaries and one long function, on purpose: it shares nothing with ``loop.rules``, not
even its shape. A difference between the two is a bug in one of them, or a gap in the design.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["BAD_FINISH", "FINISH", "Expected", "NaiveRules", "Said", "SaidCall", "expect"]

FINISH = "accepted finish"
BAD_FINISH = "refused finish"


@dataclass(frozen=True)
class SaidCall:
    """One call: what makes it the same as another, and what it comes to when it is run.

    ``comes_to`` is a result kind, or ``FINISH`` or ``BAD_FINISH`` for the finish tool.
    """

    same_as: str
    comes_to: str


@dataclass(frozen=True)
class Said:
    """One reply: its calls, or none, and what it took."""

    calls: tuple[SaidCall, ...] = ()
    seconds: int = 0
    dollars: int = 0


@dataclass(frozen=True)
class NaiveRules:
    """The limits that decide. None is no limit."""

    max_steps: int | None
    max_seconds: int | None
    seconds_after_step: bool
    max_dollars: int | None
    repeat_any: bool
    allowed_repeats: int | None
    copies_stop: bool
    max_errors: int | None
    max_calls: int | None
    finish_is_a_tool: bool


@dataclass
class Expected:
    """What a run over these replies has to come to.

    ``reason`` is None while the run still goes on after the last reply. ``answers`` holds, per
    step, the kind of each call's answer. ``also`` names the other limits that were reached.
    """

    reason: str | None = None
    step: int = 0
    also: list[str] = field(default_factory=list)
    answers: list[list[str]] = field(default_factory=list)


def expect(rules: NaiveRules, replies: list[Said]) -> Expected:  # noqa: C901, PLR0912, PLR0915
    """Walk over the replies and say how the run ends."""
    found = Expected()
    seconds = 0
    dollars = 0
    errors_in_a_row = 0
    repeats = 0
    seen: list[str] = []
    succeeded: list[str] = []

    def reached() -> list[str]:
        names = []
        if rules.max_steps is not None and found.step == rules.max_steps:
            names.append("max_steps")
        if rules.max_seconds is not None and seconds > rules.max_seconds:
            names.append("time")
        if rules.max_dollars is not None and dollars > rules.max_dollars:
            names.append("cost")
        if rules.max_errors is not None and errors_in_a_row >= rules.max_errors:
            names.append("too_many_errors")
        return names

    def stop(reason: str) -> Expected:
        found.reason = reason
        found.also = [name for name in reached() if name != reason]
        return found

    def stop_before_a_call() -> Expected | None:
        for name in reached():
            if name in ("max_steps", "cost") or (name == "time" and not rules.seconds_after_step):
                return stop(name)
        return None

    for reply in replies:
        stopped = stop_before_a_call()
        if stopped is not None:
            return stopped

        found.step = found.step + 1
        seconds = seconds + reply.seconds
        dollars = dollars + reply.dollars
        answers: list[str] = []
        found.answers.append(answers)

        if not reply.calls:
            if not rules.finish_is_a_tool:
                found.reason = "finished"
                return found
            errors_in_a_row = errors_in_a_row + 1

        finished = False
        repeated = False
        beyond_counted = False
        calls_so_far = 0
        in_this_reply: dict[str, str] = {}
        for call in reply.calls:
            if finished or repeated:
                answers.append("not_run")
                continue
            if call.comes_to == FINISH:  # a final answer is never thrown away by a limit
                answers.append("ok")
                finished = True
                continue
            if call.comes_to == BAD_FINISH:
                answers.append("invalid")
                errors_in_a_row = errors_in_a_row + 1
                continue
            calls_so_far = calls_so_far + 1
            if rules.max_calls is not None and calls_so_far > rules.max_calls:
                answers.append("not_run")
                if not beyond_counted:
                    errors_in_a_row = errors_in_a_row + 1
                    beyond_counted = True
                continue
            if call.same_as in in_this_reply and not rules.copies_stop:
                answers.append(in_this_reply[call.same_as])  # run once, every copy gets that
                continue
            is_repeat = call.same_as in (seen if rules.repeat_any else succeeded)
            if call.same_as in in_this_reply:
                is_repeat = True
            if is_repeat:
                if rules.allowed_repeats is not None and repeats == rules.allowed_repeats:
                    answers.append("not_run")
                    repeated = True
                    continue
                repeats = repeats + 1
            answers.append(call.comes_to)
            in_this_reply[call.same_as] = call.comes_to
            seen.append(call.same_as)
            if call.comes_to in ("ok", "proposed"):
                succeeded.append(call.same_as)
                errors_in_a_row = 0
            else:
                errors_in_a_row = errors_in_a_row + 1

        if finished:
            found.reason = "finished"
            return found
        if repeated:
            return stop("repeated_call")
        for name in reached():
            if name == "too_many_errors" or (name == "time" and rules.seconds_after_step):
                return stop(name)

    return stop_before_a_call() or found
