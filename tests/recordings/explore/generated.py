"""Runs that nobody made, for tests and measurements: many, different, and always the same."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from random import Random

from loop import Cost, CostState, Limits, Repeat, Stop, StopReason, get_profile
from recordings.explore import CallFacts, EndKind, RunEnd, RunFacts, StepFacts, Success
from tools import Kind

__all__ = ["generated_runs", "generated_settings"]

LONGEST = 12
_TOOLS = ("get_order", "get_payments", "search_policy", "get_customer_orders")


def generated_runs(count: int, seed: int = 1) -> Iterator[RunFacts]:
    """Yield runs of 1 to 12 steps with errors, repeats, times and costs of every size."""
    random = Random(seed)
    limits = get_profile("resolver").limits.changed(
        max_steps=LONGEST,
        max_seconds=None,
        max_cost_usd=None,
        allowed_repeats=None,
        max_errors=None,
    )
    for number in range(count):
        yield _run(random, number, limits)


def generated_settings() -> list[Limits]:
    """Return 1,000 sets of limits: every value of one with every value of the others."""
    base = get_profile("resolver").limits
    return [
        base.changed(
            max_steps=steps,
            allowed_repeats=repeats,
            repeat=repeat,
            max_errors=errors,
            max_seconds=seconds,
            max_cost_usd=usd,
        )
        for steps, (repeat, repeats), errors, seconds, usd in product(
            (2, 4, 6, 8, None),
            (
                (Repeat.ANY, 0),
                (Repeat.AFTER_SUCCESS, 0),
                (Repeat.ANY, 1),
                (Repeat.ANY, 2),
                (Repeat.ANY, None),
            ),
            (1, 2, 3, 4, None),
            (15, 30, 60, None),
            (Decimal("0.01"), None),
        )
    ]


def _run(random: Random, number: int, limits: Limits) -> RunFacts:
    well = random.random() < 0.7
    count = random.randint(1, 6 if well else LONGEST)
    steps: list[StepFacts] = []
    wall_us = 0
    for step in range(1, count + 1):
        latency_us = int(random.lognormvariate(0.8, 0.8) * 1_000_000)
        calls = tuple(_call(random, well=well) for _ in range(random.choice((1, 1, 1, 2))))
        steps.append(
            StepFacts(
                step=step,
                calls=calls,
                model=random.choice(("small", "strong")),
                latency_us=latency_us,
                cost=Cost(state=CostState.KNOWN, usd=Decimal(random.randint(1, 9000)) / 1_000_000),
                tokens_in=1000 * step,
                tokens_out=50,
                wall_before_us=wall_us,
                wall_after_us=wall_us + latency_us,
            )
        )
        wall_us += latency_us
    return RunFacts(
        run_id=f"run-{number}",
        ticket_id=f"T-{number % (1 + number // 2):05}",
        source="generated",
        model="small",
        profile="resolver",
        limits=limits,
        success=Success.SUCCEEDED if well else Success.FAILED,
        steps=tuple(steps),
        end=_end(count, well=well),
    )


def _end(count: int, *, well: bool) -> RunEnd:
    if well or count < LONGEST:
        return RunEnd(kind=EndKind.FINISHED)
    return RunEnd(kind=EndKind.STOPPED, stop=Stop(reason=StopReason.MAX_STEPS, step=count))


def _call(random: Random, *, well: bool) -> CallFacts:
    name, key = random.choice(_TOOLS), random.randint(1, 30 if well else 8)
    kind = random.choices((Kind.OK, Kind.NOT_FOUND, Kind.FAILED), (9, 1, 1) if well else (4, 2, 2))
    return CallFacts(
        name=name,
        arguments="{}",
        signature=f"{name} {key}",
        is_finish=False,
        kind=kind[0],
        text="{}",
        wall_us=0,
    )
