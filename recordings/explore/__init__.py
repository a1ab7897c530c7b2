"""What a recorded run would have come to under other limits."""

from recordings.explore.bootstrap import Interval, Rates
from recordings.explore.calibrate import Calibration, Choice, Tried, calibrate
from recordings.explore.curve import change_text, curve_svg
from recordings.explore.data import profile_to_json, rules_to_json
from recordings.explore.facts import (
    CallFacts,
    EndKind,
    RunEnd,
    RunFacts,
    StepFacts,
    Success,
    turns_of,
)
from recordings.explore.page import Preset, explore_page
from recordings.explore.profile import RunProfile, profiled
from recordings.explore.read import facts_of
from recordings.explore.success import SuccessRule
from recordings.explore.sums import Outcome, Sums, cuts, sum_up
from recordings.explore.walk import Fate, Place, Point, WhatIf, as_recorded, what_if

__all__ = [
    "Calibration",
    "CallFacts",
    "Choice",
    "EndKind",
    "Fate",
    "Interval",
    "Outcome",
    "Place",
    "Point",
    "Preset",
    "Rates",
    "RunEnd",
    "RunFacts",
    "RunProfile",
    "StepFacts",
    "Success",
    "SuccessRule",
    "Sums",
    "Tried",
    "WhatIf",
    "as_recorded",
    "calibrate",
    "change_text",
    "curve_svg",
    "cuts",
    "explore_page",
    "facts_of",
    "profile_to_json",
    "profiled",
    "rules_to_json",
    "sum_up",
    "turns_of",
    "what_if",
]
