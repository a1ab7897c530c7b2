"""The plan of one run: which ticket, by which profile and model, within which limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from bot.errors import RecordingsChanged
from bot.model_settings import book_of
from bot.now import utc_now
from bot.settings import Settings
from bot.story import ask_of
from bot.supplies import Supplies, find_ticket
from bot.texts import price_text
from loop import Ask, FinishForm, Limits, Opened, Profile, get_profile, limits_from_text
from recordings import Match, Recording, recordings_digest
from tools import Fault, TicketCase

__all__ = [
    "LIVE",
    "Plan",
    "check_recordings",
    "choose_profile",
    "plan_again",
    "plan_replay",
    "plan_run",
]

LIVE: Final = "live"
"""The mark of a run whose model was asked at its server."""
_WITHOUT_TOOL_CALLS: Final = frozenset({"gemma3:4b"})
"""Models of the shipped recordings that cannot call tools (reference facts A7)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that shapes one run."""

    case: TicketCase
    profile: Profile
    model: str
    today: date
    match: Match
    live: bool
    """Whether the model's server is asked, and not recordings."""
    faults: tuple[Fault, ...]
    recordings: tuple[Recording, ...]
    """Those that may answer it, the likeliest first."""
    marks: Mapping[str, Any]
    """What the journal says of the run as a whole; a resumed run reads it back."""


def plan_run(
    supplies: Supplies,
    settings: Settings,
    ticket_id: str,
    *,
    limits: Mapping[str, str] | None = None,
    faults: Iterable[str] = (),
    now: Callable[[], str] = utc_now,
) -> Plan:
    """Return the plan of a new run.

    ``limits`` come before those of the settings; ``faults`` come after the ticket's own. ``now``
    gives an ISO time stamp, whose day a live run is marked with.

    Raises:
        TicketUnknown, ProfileRefused, LimitRefused, FaultRefused: what was asked for cannot be.
    """
    case = find_ticket(supplies.cases, ticket_id)
    profile = choose_profile(settings, limits or {})
    all_faults = case.faults + tuple(Fault.parse(text) for text in faults)
    found = (
        ()
        if settings.live
        else _candidates(
            supplies.recordings, ticket_id, profile.name, settings.model, settings.match
        )
    )
    return Plan(
        case=case,
        profile=profile,
        model=settings.model,
        today=settings.day_of_a_run(),
        match=settings.match,
        live=settings.live,
        faults=all_faults,
        recordings=found,
        marks=_live_marks(settings, all_faults, now)
        if settings.live
        else _marks(settings.match, all_faults, found),
    )


def plan_again(supplies: Supplies, opened: Opened) -> Plan:
    """Return the plan of a run that was begun, from its opening record.

    Raises:
        TicketUnknown, ProfileRefused, LimitRefused, FaultRefused: it no longer can be.
    """
    model = opened.head.model
    match = Match(opened.marks.get("match", Match.STRICT))
    live = LIVE in opened.marks
    profile = replace(
        get_profile(opened.profile),
        limits=Limits.from_dict(opened.limits),
        ask=ask_of(opened),
        max_tokens=opened.head.max_tokens,
    )
    return Plan(
        case=find_ticket(supplies.cases, opened.ticket_id),
        profile=profile,
        model=model,
        today=date.fromisoformat(opened.today),
        match=match,
        live=live,
        faults=tuple(Fault.parse(text) for text in opened.marks.get("faults", ())),
        recordings=()
        if live
        else _candidates(supplies.recordings, opened.ticket_id, profile.name, model, match),
        marks=opened.marks,
    )


def plan_replay(
    supplies: Supplies,
    recording: Recording,
    limits: Limits | None = None,
    match: Match | None = None,
) -> Plan:
    """Return the plan that replays one recording of a known ticket, with the ticket's own faults.

    ``limits`` None are those of its profile today, ``match`` None is how it was recorded.

    Raises:
        ProfileRefused, LimitRefused: its profile is no longer there, or it names unknown limits.
    """
    if recording.opened is None:
        raise ValueError("a recording without its opening record cannot be planned")
    plan = plan_again(supplies, recording.opened)
    used = get_profile(plan.profile.name).limits if limits is None else limits
    return replace(
        plan,
        profile=replace(plan.profile, limits=used),
        match=match or plan.match,
        live=False,
        faults=supplies.cases[recording.ticket_id].faults,
        recordings=(recording,),
        marks={name: mark for name, mark in plan.marks.items() if name != LIVE},
    )


def check_recordings(plan: Plan) -> None:
    """Refuse to go on with a run over other replies than it was begun with.

    Raises:
        RecordingsChanged: they are others.
    """
    begun_with = plan.marks.get("recordings")
    if begun_with not in (None, recordings_digest(plan.recordings)):
        raise RecordingsChanged(
            f"the run of ticket {plan.case.ticket.ticket_id} was begun with other recordings",
            hint="--recordings names those of then; handrail run begins a new run with these",
        )


def choose_profile(settings: Settings, limits: Mapping[str, str]) -> Profile:
    """Return the profile with the limits and the way of asking that were chosen.

    Raises:
        ProfileRefused, LimitRefused: there is no such profile or limit, or its parts do not fit.
    """
    profile = get_profile(settings.profile)
    given = limits_from_text({**settings.limit_texts(), **limits})
    own = settings.models.get(settings.model)
    longest = None if own is None else own.max_tokens
    return replace(
        profile,
        limits=profile.limits.changed(**given),
        ask=_ask(profile, settings),
        max_tokens=longest or profile.max_tokens,
    )


def _ask(profile: Profile, settings: Settings) -> Ask:
    if settings.ask is not None:
        return settings.ask
    own = settings.models.get(settings.model)
    needed = own.ask if own is not None else None
    if needed is None and settings.model in _WITHOUT_TOOL_CALLS:
        needed = Ask.JSON
    # A profile whose last word is a reply without calls has one way of asking.
    return needed or profile.ask if profile.finish is FinishForm.TOOL else profile.ask


def _candidates(
    recordings: Iterable[Recording], ticket_id: str, profile: str, model: str, match: Match
) -> tuple[Recording, ...]:
    """Return the ticket's recordings for the profile, those of the model first.

    A strict match compares the whole request, the model too, so others may stand behind: they
    explain a miss. By place alone a recording of another model would answer in its stead.
    """
    own = [r for r in recordings if r.ticket_id == ticket_id and r.profile in (None, profile)]
    same = [r for r in own if r.opened is None or r.opened.head.model == model]
    if match is Match.SEQUENCE:
        return tuple(same)
    return (*same, *(found for found in own if found not in same))


def _live_marks(
    settings: Settings, faults: tuple[Fault, ...], now: Callable[[], str]
) -> dict[str, Any]:
    """Return the marks of a live run: the name by which its model is asked, the day, its price."""
    own = settings.models.get(settings.model)
    server_model = settings.model if own is None or own.id is None else own.id
    live = {"model": server_model, "on": now()[:10]}
    if own is not None and own.base_url is not None:
        book = book_of(settings.model, settings.models, own.base_url)
        live["prices"] = price_text(own.price, book.source())
    return {LIVE: live, **_fault_marks(faults)}


def _fault_marks(faults: tuple[Fault, ...]) -> dict[str, Any]:
    if not faults:
        return {}
    return {"faults": [f"{fault.tool}:{fault.mode}:{fault.times}" for fault in faults]}


def _marks(match: Match, faults: tuple[Fault, ...], found: Sequence[Recording]) -> dict[str, Any]:
    marks: dict[str, Any] = {"match": match.value, **_fault_marks(faults)}
    written = [recording.constructed for recording in found]
    if written and all(written):
        marks["constructed"] = True
    marks["recordings"] = recordings_digest(found)
    return marks
