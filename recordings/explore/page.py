"""The page that tries limits on recorded runs: one file that loads nothing.

Its script is written out here whole, and named to the browser by its hash: nothing else can run in
the page, whatever the runs hold.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any, Final

from loop import LIMIT_NAMES, Limits
from recordings.explore.data import profile_to_json, rules_to_json
from recordings.explore.packed import packed
from recordings.explore.profile import RunProfile
from tools import clean_text

__all__ = ["Preset", "explore_page"]

MAX_TEXT: Final = 4_000
"""Longest text of a reply, a call or a result on the page, in characters."""
MAX_TEXTS: Final = 20_000_000
"""Characters of all texts together; above it the page is made without them."""
_SHAPING: Final = frozenset({"max_result_chars", "max_calls_per_step", "duplicates_in_reply"})
"""Limits that shape what the model sees: the page keeps those of the recording."""
_NAMED: Final = 4
"""Models that the page names at its top."""
_TEXTS: Final = ("text", "arguments", "result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A set of limits with a name, to begin with."""

    name: str
    limits: Limits


def explore_page(
    profiles: Sequence[RunProfile], *, title: str, presets: Sequence[Preset], texts: bool = True
) -> str:
    """Return the page.

    Args:
        profiles: the runs.
        title: of the page.
        presets: sets of limits to choose; the first is shown at the start.
        texts: whether replies, arguments and results go in. Where they are too many for one page
            they are left out, and the page says so.
    """
    runs = [profile_to_json(each, texts=texts) for each in profiles]
    _clean(runs)
    told = ""
    if texts and _length_of_texts(runs) > MAX_TEXTS:
        _drop_texts(runs)
        told = " Texts are left out: together they are too long for one page."
    limits = [preset.limits for preset in presets]
    told_once = rules_to_json()
    data = {
        **told_once,
        **packed(runs, told_once["series"]),
        "presets": [{"name": preset.name, "limits": preset.limits.as_dict()} for preset in presets],
        "settable": [name for name in LIMIT_NAMES if name not in _SHAPING],
        "most": _most(profiles, limits),
    }
    style, script = _static("explore.css"), _static("rules.js") + _static("explore.js")
    return _filled(
        _static("explore.html"),
        {
            "title": escape(title),
            "about": escape(_about(profiles) + told),
            "style": style,
            "style_hash": _hash(style),
            "script": script,
            "script_hash": _hash(script),
            "data": _json_in_html(data),
        },
    )


def _about(profiles: Sequence[RunProfile]) -> str:
    models = sorted({each.facts.model or "an unknown model" for each in profiles})
    more = len(models) - _NAMED
    named = ", ".join(models[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    runs = "1 run" if len(profiles) == 1 else f"{len(profiles)} runs"
    return (
        f"{runs} of {named or 'no model'}. A limit is tried on what is recorded; where a run would "
        "have gone on, the page says unknown and makes nothing up."
    )


def _most(profiles: Sequence[RunProfile], presets: Sequence[Limits]) -> dict[str, float]:
    """Return how far each slider goes: a little over all that was seen and all that is preset."""
    steps = max((len(each.facts.steps) for each in profiles), default=0)
    seconds = max((max(each.at_end.model_us, each.at_end.wall_us) for each in profiles), default=0)
    usd = max((each.at_end.cost_usd for each in profiles), default=Decimal(0))
    errors = max((used.errors for each in profiles for used in each.used), default=0)
    most_seconds = max(seconds // 1_000_000, *(each.max_seconds or 0 for each in presets))
    most_usd = float(max(usd, *(each.max_cost_usd or 0 for each in presets)))
    return {
        "steps": max(steps, *(each.max_steps or 0 for each in presets)) + 1,
        "seconds": float(most_seconds) + 1,
        "usd": round(most_usd * 1.1 + 0.001, 3),
        "errors": max(errors, *(each.max_errors or 0 for each in presets)) + 1,
        "repeats": 10,
    }


def _clean(runs: Sequence[dict[str, Any]]) -> None:
    """Bound every text that somebody else wrote, without what could hide something.

    The rest are numbers and words of ours.
    """
    for part in (*runs, *(run["end"] for run in runs), *_parts(runs)):
        for name, value in part.items():
            if isinstance(value, str):
                part[name] = _shown(value)


def _shown(text: str) -> str:
    # Printable ASCII hides nothing, and is nearly all there is.
    plain = len(text) <= MAX_TEXT and text.isascii() and text.isprintable()
    return text if plain else clean_text(text, MAX_TEXT)


def _length_of_texts(runs: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(part.get(name) or "") for part in _parts(runs) for name in _TEXTS)


def _drop_texts(runs: Sequence[Mapping[str, Any]]) -> None:
    for part in _parts(runs):
        for name in _TEXTS:
            part.pop(name, None)


def _parts(runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    steps = [step for run in runs for step in run["steps"]]
    return [*steps, *(call for step in steps for call in step["calls"])]


def _json_in_html(value: object) -> str:
    """Return JSON that can't end the element it stands in: ``</script`` in any case begins so."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _static(name: str) -> str:
    return files("recordings.explore").joinpath("static", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Put each value in the places that its name marks; what values hold is not looked at."""
    return re.sub(r"\{([a-z_]+)\}", lambda mark: values[mark[1]], template)
