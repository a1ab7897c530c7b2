"""What ``handrail calibrate`` prints: the figures, the doubts, and the lines of the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from bot.texts import cost_text, counted, seconds_text
from loop import Limits
from recordings.explore import Calibration, Choice, Rates, Success, Tried, change_text

__all__ = ["calibration_lines", "calibration_value", "settings_lines"]

_NONE: Final = "none"


def calibration_lines(calibration: Calibration) -> Iterator[str]:
    """Yield the report, without the lines of the settings."""
    runs = calibration.runs
    yield (
        f"{counted(sum(runs.values()), 'run')}: {runs[Success.SUCCEEDED]} succeeded, "
        f"{runs[Success.FAILED]} failed, {runs[Success.UNKNOWN]} unknown"
    )
    yield ""
    yield from _choice_lines("now", calibration.current)
    yield ""
    yield f"Each limit alone, at most {_percent(float(calibration.max_loss))} lost:"
    for name, tried in calibration.tried.items():
        choice = calibration.chosen.get(name)
        if choice is not None:
            yield from _choice_lines("", choice)
        elif tried:
            yield f"  {name}: no value is known to catch a failure within this loss"
        else:
            yield f"  {name}: cannot be tried"
    yield ""
    yield "Together:"
    if calibration.best is None:
        yield "  no limits are known to catch a failure within this loss"
    else:
        yield from _choice_lines("", calibration.best)
    if calibration.held_out is not None:
        yield f"  chosen on half of the tickets, on the other half: {_rates(calibration.held_out)}"
    if calibration.doubts:
        yield ""
        yield "What these data cannot tell:"
        yield from (f"  - {doubt}" for doubt in calibration.doubts)


def settings_lines(calibration: Calibration) -> Iterator[str]:
    """Yield the lines for ``handrail.toml``; nothing where nothing is proposed."""
    if calibration.best is None:
        return
    changes = calibration.best.tried.changes
    yield "[limits]"
    for name, tried in calibration.tried.items():
        if name in changes:
            yield f"{name} = {_toml(changes[name])}"
            if name == "allowed_repeats":
                yield f"repeat = {_toml(changes['repeat'])}"
        elif tried:
            yield f'{name} = "{_NONE}"  # every value that was tried loses more'
        else:
            yield f"# {name}: these recordings cannot tell"


def calibration_value(calibration: Calibration) -> dict[str, Any]:
    """Return the calibration as JSON values: counts, and shares from 0 to 1."""
    held_out = calibration.held_out
    return {
        "max_loss": str(calibration.max_loss),
        "runs": {success.value: count for success, count in calibration.runs.items()},
        "now": _choice_value(calibration.current),
        "limits": {
            name: {
                "tried": [_tried_value(each) for each in tried],
                "chosen": _choice_value(calibration.chosen[name])
                if name in calibration.chosen
                else None,
            }
            for name, tried in calibration.tried.items()
        },
        "together": [_tried_value(each) for each in calibration.together],
        "best": None if calibration.best is None else _choice_value(calibration.best),
        "held_out": None if held_out is None else _rates_value(held_out),
        "doubts": list(calibration.doubts),
        "settings": list(settings_lines(calibration)),
    }


def _choice_lines(name: str, choice: Choice) -> Iterator[str]:
    tried, span = choice.tried, choice.interval
    words = change_text(tried.changes) or "no limits"
    yield f"  {name + ': ' if name else ''}{words}"
    rates = tried.rates
    yield f"    lost   {_share(rates.lost, rates.successes, rates.loss, span.loss)}"
    yield f"    caught {_share(rates.caught, rates.failures, rates.catch, span.catch)}"
    yield f"    saved  {', '.join(_saved(tried))}"


def _saved(tried: Tried) -> Iterator[str]:
    """Yield what is saved; time and money where any is known to be."""
    yield counted(tried.steps_saved, "model call")
    if tried.us_saved:
        yield seconds_text(tried.us_saved)
    if tried.usd_saved:
        yield cost_text(tried.usd_saved)


def _share(count: int, of: int, share: float | None, span: tuple[float, float] | None) -> str:
    if share is None or span is None:
        return "none to count"
    return f"{count} of {of}, {_percent(share)} ({_percent(span[0])} to {_percent(span[1])})"


def _rates(rates: Rates) -> str:
    lost = "none" if rates.loss is None else _percent(rates.loss)
    caught = "none" if rates.catch is None else _percent(rates.catch)
    return (
        f"{lost} lost ({rates.lost} of {rates.successes}), {caught} caught "
        f"({rates.caught} of {rates.failures})"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _toml(value: object) -> str:
    if value is None:
        return f'"{_NONE}"'
    if isinstance(value, Decimal):
        return format(value, "f")
    return f'"{value}"' if isinstance(value, str) else str(value)


def _choice_value(choice: Choice) -> dict[str, Any]:
    interval = {"loss": choice.interval.loss, "catch": choice.interval.catch}
    return _tried_value(choice.tried) | {"interval": interval}


def _tried_value(tried: Tried) -> dict[str, Any]:
    return {
        "limits": _plain(tried.limits, tried.changes),
        **_rates_value(tried.rates),
        "steps_saved": tried.steps_saved,
        "seconds_saved": tried.us_saved / 1_000_000,
        "usd_saved": str(tried.usd_saved),
    }


def _rates_value(rates: Rates) -> dict[str, Any]:
    return {
        "successes": rates.successes,
        "lost": rates.lost,
        "loss": rates.loss,
        "failures": rates.failures,
        "caught": rates.caught,
        "catch": rates.catch,
    }


def _plain(limits: Limits, names: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in limits.as_dict().items() if name in names}
