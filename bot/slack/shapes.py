"""The shapes of what Slack sends: just what of it we read, and what Bolt reads before us. Pure.

A delivery is judged here once, before it is stored, so that whatever reads it later may rely on
the types. More fields than these are always allowed; a field that Slack leaves out, or sends as
``null``, is too, unless it says otherwise.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from bot.slack.errors import WrongShape

__all__ = [
    "Command",
    "Event",
    "HomeOpened",
    "Message",
    "MessageAction",
    "Outline",
    "Posted",
    "Pressed",
    "Shape",
    "Shortcut",
    "Submission",
    "check",
]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)
"""A part of a field's path that is safe to log; a form's inputs are named by whoever made it."""

Id = Annotated[str, StringConstraints(min_length=1)]
Ts = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,12}\.[0-9]{1,6}$")]
"""Slack's time stamps: seconds since 1970, a point, and what tells messages of a second apart."""


def _id_or_object(value: object) -> object:
    _require(isinstance(value, str | dict))
    return value


IdOrObject = Annotated[Any, AfterValidator(_id_or_object)]
"""Slack says who and where by an id in events, and by an object in interactions."""


class Shape(BaseModel):
    """A part of a request. A text is a text, and never a number that could be one."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Ref(Shape):
    id: Id


class _Place(Shape):
    id: Id | None = None


class _View(Shape):
    type: str | None = None
    callback_id: str | None = None


class _Action(Shape):
    action_id: Id
    value: str | None = None


_NEEDED_BY: Final = {"actions": ("block_actions",), "view": ("view_submission", "view_closed")}


class Outline(Shape):
    """What Bolt reads of a request and of its event, in whatever way it comes in."""

    type: str | None = None
    command: str | None = None
    callback_id: str | None = None
    action_id: str | None = None
    user: IdOrObject | None = None
    team: IdOrObject | None = None
    enterprise: IdOrObject | None = None
    channel: IdOrObject | None = None
    authorizations: list[Outline] | None = None
    event: Outline | None = None
    message: Outline | None = None
    previous_message: Outline | None = None
    item: Outline | None = None
    assistant_thread: Outline | None = None
    function_data: dict[str, Any] | None = None
    response_urls: list[dict[str, Any]] = Field(default_factory=list)
    actions: list[_Action] = Field(default_factory=list)
    view: _View | None = None

    @field_validator("event", "actions", "view")
    @classmethod
    def _is_something(cls, part: object, info: ValidationInfo) -> object:
        """Bolt looks into these where they are sent at all: the last two, if the type says so."""
        needed_by = _NEEDED_BY.get(info.field_name or "")
        if needed_by is None or info.data.get("type") in needed_by:
            _require(part)
        return part


class _File(Shape):
    name: str | None = None
    title: str | None = None


class _Profile(Shape):
    id: str | None = None
    app_id: str | None = None


class _Metadata(Shape):
    event_type: str | None = None
    event_payload: dict[str, Any] | None = None
    """An app's own words: what of them is a ticket is for ``bot.slack.headers`` to say."""


class _Edited(Shape):
    ts: Ts


class _Written(Shape):
    subtype: str | None = None
    thread_ts: Ts | None = None
    hidden: bool | None = None
    user: Id | None = None
    bot_id: str | None = None
    app_id: str | None = None
    workflow_id: str | None = None
    text: str | None = None
    blocks: list[Any] | None = None
    attachments: list[Any] | None = None
    files: list[_File] | None = None
    bot_profile: _Profile | None = None
    metadata: _Metadata | None = None
    edited: _Edited | None = None


class Message(_Written):
    """A message as it stands: one of a channel's history, or what it is after a change."""

    ts: Ts
    latest_reply: Ts | None = None


class Event(Shape):
    """An event's envelope. What happened is judged by its own shape."""

    event_id: Id


class Posted(_Written):
    """A ``message`` or ``app_mention`` event. What was removed has its stamp in ``deleted_ts``.

    A change has its own moment in ``event_ts``, by which changes of a message are put in order.
    """

    channel: Id
    ts: Ts | None = None
    event_ts: Annotated[Ts | None, Field(validate_default=True)] = None
    deleted_ts: Ts | None = None
    message: Message | None = None
    previous_message: _Written | None = None

    @field_validator("event_ts")
    @classmethod
    def _has_its_moment(cls, moment: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("subtype") == "message_changed":
            _require(moment)
        return moment


class HomeOpened(Shape):
    """An ``app_home_opened`` event."""

    user: Id
    tab: str | None = None


class _Container(Shape):
    channel_id: Id | None = None
    thread_ts: Ts | None = None
    message_ts: Ts | None = None


class Pressed(Shape):
    """A press of a button. In App Home and in a form it stands in no channel."""

    user: _Ref
    actions: Annotated[list[_Action], Field(min_length=1)]
    trigger_id: str | None = None
    container: _Container | None = None
    channel: _Place | None = None
    view: _View | None = None


class _Chosen(Shape):
    value: str | None = None


class _Input(Shape):
    value: str | None = None
    selected_option: _Chosen | None = None


class _State(Shape):
    values: dict[str, dict[str, _Input]] = Field(default_factory=dict)


class _Form(_View):
    private_metadata: str | None = None
    state: _State = Field(default_factory=_State)


class Submission(Shape):
    """A form that was sent."""

    user: _Ref
    view: _Form
    trigger_id: str | None = None


class Shortcut(Shape):
    """A shortcut that is about no message."""

    user: _Ref
    trigger_id: str | None = None


class _Meant(Shape):
    ts: Ts
    thread_ts: Ts | None = None


class MessageAction(Shortcut):
    """A shortcut in the menu of a message."""

    channel: _Ref
    message: _Meant


class Command(Shape):
    """A slash command. Slack leaves an empty text out."""

    user_id: Id
    channel_id: Id
    text: str | None = None
    trigger_id: str | None = None


def check(shape: type[Shape], value: object, kind: str) -> None:
    """Judge a part of a request.

    Args:
        shape: what it should be.
        value: what it is.
        kind: names it in the log.

    Raises:
        WrongShape: it is something else. Says which field, and nothing of what it holds.
    """
    try:
        shape.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise WrongShape(kind, _path(found["loc"])) from None


def _path(loc: tuple[int | str, ...]) -> str:
    return ".".join(each if _NAME.fullmatch(each) else "…" for each in map(str, loc))


def _require(part: object) -> None:
    if not part:
        raise ValueError("it is not what is needed here")
