"""What a person does in Slack, as the payload that the app gets: clicks, forms, commands."""

from __future__ import annotations

from typing import Any

from bot.workspace.core import Core
from bot.workspace.errors import NotPossible
from bot.workspace.messages import Message
from bot.workspace.people import User
from bot.workspace.surfaces import View, fields_of

__all__ = [
    "block_actions",
    "command",
    "element_of",
    "form_values",
    "message_shortcut",
    "shortcut",
    "view_closed",
    "view_submission",
]


def block_actions(
    core: Core, user: User, place: Message | View, action_id: str, given: dict[str, Any]
) -> dict[str, Any]:
    """Return the payload of a click on a message or in a view."""
    block_id, element = element_of(place.blocks, action_id)
    action: dict[str, Any] = {
        "action_id": action_id,
        "block_id": block_id,
        "type": element["type"],
        "action_ts": f"{core.clock.now():.6f}",
        **{key: element[key] for key in ("text", "value", "style", "confirm") if key in element},
        **given,
    }
    if isinstance(place, View):
        where: dict[str, Any] = {
            "container": {"type": "view", "view_id": place.id},
            "view": core.view_form(place, form_values(place.blocks, {})),
            "trigger_id": core.passes.new_trigger(user.id, place.id),
        }
    else:
        where = _on_message(core, user, place)
    return _frame(core, user, "block_actions") | where | {"actions": [action]}


def view_submission(core: Core, user: User, view: View, values: dict[str, Any]) -> dict[str, Any]:
    """Return the payload of a submitted form."""
    return _frame(core, user, "view_submission") | {
        "trigger_id": core.passes.new_trigger(user.id, view.id),
        "view": core.view_form(view, values),
        "response_urls": [],
    }


def view_closed(core: Core, user: User, view: View) -> dict[str, Any]:
    """Return the payload of a form that was closed without submitting it."""
    return _frame(core, user, "view_closed") | {
        "view": core.view_form(view, form_values(view.blocks, {})),
        "is_cleared": False,
    }


def shortcut(core: Core, user: User, callback_id: str) -> dict[str, Any]:
    """Return the payload of a global shortcut."""
    return _frame(core, user, "shortcut") | {
        "callback_id": callback_id,
        "action_ts": f"{core.clock.now():.6f}",
        "trigger_id": core.passes.new_trigger(user.id),
    }


def message_shortcut(core: Core, user: User, message: Message, callback_id: str) -> dict[str, Any]:
    """Return the payload of a shortcut in a message's menu."""
    place = _on_message(core, user, message)
    del place["container"], place["state"]
    return (
        _frame(core, user, "message_action")
        | place
        | {
            "callback_id": callback_id,
            "action_ts": f"{core.clock.now():.6f}",
            "message_ts": message.ts,
        }
    )


def command(core: Core, user: User, channel: str, name: str, text: str) -> dict[str, Any]:
    """Return the fields of a slash command."""
    return {
        "token": core.identity.verification_token,
        "team_id": user.team_id or core.identity.team_id,
        "team_domain": core.identity.domain,
        "channel_id": channel,
        "channel_name": core.state.channels[channel].name,
        "user_id": user.id,
        "user_name": user.name,
        "command": name,
        "text": text,
        "api_app_id": core.identity.app_id,
        "is_enterprise_install": "false",
        "response_url": core.response_url(channel, user.id, None),
        "trigger_id": core.passes.new_trigger(user.id),
    }


def element_of(blocks: tuple[dict[str, Any], ...], action_id: str) -> tuple[str, dict[str, Any]]:
    """Return the block id and the element that carries an action id.

    Raises:
        NotPossible: if nothing there can be pressed under that id.
    """
    for block in blocks:
        inside = [*(block.get("elements") or ()), block.get("accessory"), block.get("element")]
        for element in inside:
            if isinstance(element, dict) and element.get("action_id") == action_id:
                return str(block.get("block_id") or ""), element
    raise NotPossible(f"there is nothing to press with the action id {action_id}")


def form_values(
    blocks: tuple[dict[str, Any], ...], given: dict[str, Any], *, required: bool = False
) -> dict[str, Any]:
    """Return ``state.values``: what was given (by action id or block id), else the initial values.

    Raises:
        NotPossible: if ``required`` and Slack would not let the form go: an empty field that is
            required, a text of the wrong length; or if ``given`` names a field that is not there.
    """
    fields = fields_of(blocks)
    known = {name for block_id, element, _ in fields for name in (block_id, element["action_id"])}
    if strange := set(given) - known:
        raise NotPossible(f"the form has no field {', '.join(sorted(strange))}")
    values: dict[str, Any] = {}
    for block_id, element, optional in fields:
        action_id = str(element["action_id"])
        state = _state_of(element, given.get(action_id, given.get(block_id)))
        if required:
            _check_field(action_id, element, state, optional=optional)
        values.setdefault(block_id, {})[action_id] = state
    return values


def _state_of(element: dict[str, Any], given: Any) -> dict[str, Any]:
    kind = str(element["type"])
    if kind.endswith("_input"):
        value = given if given is not None else element.get("initial_value")
        return {"type": kind, "value": value if value != "" else None}
    if kind == "checkboxes" or kind.startswith("multi_"):
        chosen = element.get("initial_options") or []
        if given is not None:
            chosen = [_option(element, value) for value in given]
        return {"type": kind, "selected_options": chosen}
    if kind in {"users_select", "channels_select", "conversations_select"}:
        name = kind.removesuffix("s_select")
        return {"type": kind, f"selected_{name}": given or element.get(f"initial_{name}")}
    if kind in {"datepicker", "timepicker"}:
        name = kind.removesuffix("picker")
        return {"type": kind, f"selected_{name}": given or element.get(f"initial_{name}")}
    chosen = _option(element, given) if given is not None else element.get("initial_option")
    return {"type": kind, "selected_option": chosen}


def _option(element: dict[str, Any], value: object) -> dict[str, Any]:
    for option in element.get("options") or ():
        if option.get("value") == value:
            return dict(option)
    raise NotPossible(f"{element['action_id']} has no option {value!r}")


def _check_field(
    name: str, element: dict[str, Any], state: dict[str, Any], *, optional: bool
) -> None:
    filled = next((value for key, value in state.items() if key != "type"), None)
    if not filled and not optional:
        raise NotPossible(f"the field {name} must not stay empty")
    if isinstance(filled, str) and element["type"] == "plain_text_input":
        longest = int(element.get("max_length") or 3_000)
        if not int(element.get("min_length") or 0) <= len(filled) <= longest:
            raise NotPossible(f"the field {name} takes {longest} characters at most")


def _on_message(core: Core, user: User, message: Message) -> dict[str, Any]:
    channel = core.state.channels[message.channel]
    container: dict[str, Any] = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": channel.id,
        "is_ephemeral": message.ephemeral_to is not None,
    }
    if message.thread_ts:
        container["thread_ts"] = message.thread_ts
    return {
        "container": container,
        "trigger_id": core.passes.new_trigger(user.id),
        "channel": {"id": channel.id, "name": channel.name},
        "message": message.form(team_id=core.identity.team_id),
        "state": {"values": form_values(message.blocks, {})},
        "response_url": core.response_url(channel.id, user.id, message.ts),
    }


def _frame(core: Core, user: User, kind: str) -> dict[str, Any]:
    me = core.identity
    return {
        "type": kind,
        "team": {"id": me.team_id, "domain": me.domain},
        "enterprise": None,
        "is_enterprise_install": False,
        "user": {
            "id": user.id,
            "username": user.name,
            "name": user.name,
            "team_id": user.team_id or me.team_id,
        },
        "api_app_id": me.app_id,
        "token": me.verification_token,
    }
