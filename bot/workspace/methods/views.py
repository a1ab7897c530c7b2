"""``views.*``: opening forms, changing them, and the App Home."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.workspace.core import Core
from bot.workspace.errors import MethodRefused
from bot.workspace.limits import check_view
from bot.workspace.methods.args import Args
from bot.workspace.methods.chat import named
from bot.workspace.surfaces import View

__all__ = ["changed_view", "new_view", "open_view", "publish", "push", "update"]

MOST_STACKED = 3


def open_view(core: Core, args: Args) -> dict[str, Any]:
    """``views.open``: a trigger opens one form within 3 seconds, once."""
    trigger = core.passes.redeem_trigger(_trigger(args))
    body = check_view(args.json("view", code="invalid_arguments"), home=False)
    view = new_view(core, trigger.user, body)
    core.state.stacks[trigger.user] = [view.id]
    return {"ok": True, "view": core.view_form(view)}


def push(core: Core, args: Args) -> dict[str, Any]:
    """``views.push``: a second or third form above the one that is open."""
    trigger = core.passes.redeem_trigger(_trigger(args))
    body = check_view(args.json("view", code="invalid_arguments"), home=False)
    stack = core.state.stacks.get(trigger.user) or []
    if trigger.view_id is None or not stack:
        raise MethodRefused("not_found")
    if len(stack) >= MOST_STACKED:
        raise MethodRefused("push_limit_reached")
    view = new_view(core, trigger.user, body, below=core.state.views[stack[-1]])
    stack.append(view.id)
    return {"ok": True, "view": core.view_form(view)}


def update(core: Core, args: Args) -> dict[str, Any]:
    """``views.update``, by view id or external id; a stale ``hash`` is a conflict."""
    view = _named_view(core, args)
    if view.id not in core.state.stacks.get(view.user, ()):
        raise MethodRefused("not_found")
    _same_hash(view, args)
    body = check_view(args.json("view", code="invalid_arguments"), home=False)
    return {"ok": True, "view": core.view_form(changed_view(core, view, body))}


def publish(core: Core, args: Args) -> dict[str, Any]:
    """``views.publish``: one person's App Home."""
    user = args.text("user_id", missing="invalid_arguments")
    if user not in core.state.users:
        raise MethodRefused("user_not_found")
    body = check_view(args.json("view", code="invalid_arguments"), home=True)
    old = core.state.views.get(core.state.homes.get(user, ""))
    if old is None:
        view = new_view(core, user, body)
        core.state.homes[user] = view.id
    else:
        _same_hash(old, args)
        view = changed_view(core, old, body)
    return {"ok": True, "view": core.view_form(view)}


def new_view(core: Core, user: str, body: dict[str, Any], *, below: View | None = None) -> View:
    """Store and return a new view of a person."""
    view_id = core.state.new_id("V")
    view = View(
        id=view_id,
        user=user,
        hash=core.state.new_id(""),
        body=_with_block_ids(core, body),
        root_id=below.root_id if below else view_id,
        previous_id=below.id if below else None,
    )
    core.state.views[view_id] = view
    return view


def changed_view(core: Core, view: View, body: dict[str, Any]) -> View:
    """Store and return the next version of a view."""
    after = replace(view, hash=core.state.new_id(""), body=_with_block_ids(core, body), errors=())
    core.state.views[view.id] = after
    return after


def _with_block_ids(core: Core, body: dict[str, Any]) -> dict[str, Any]:
    return body | {"blocks": [named(core, block) for block in body["blocks"]]}


def _trigger(args: Args) -> str:
    given = args.optional("trigger_id") or args.optional("interactivity_pointer")
    if given is None:
        raise MethodRefused("invalid_arguments", "[ERROR] missing required field: trigger_id")
    return given


def _named_view(core: Core, args: Args) -> View:
    view_id, external = args.optional("view_id"), args.optional("external_id")
    for view in core.state.views.values():
        if view.id == view_id or (external and view.body.get("external_id") == external):
            return view
    raise MethodRefused("not_found")


def _same_hash(view: View, args: Args) -> None:
    given = args.optional("hash")
    if given is not None and given != view.hash:
        raise MethodRefused("hash_conflict")
