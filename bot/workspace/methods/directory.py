"""Who is who: ``auth.test``, ``users.info``, ``usergroups.users.list``, ``bots.info``."""

from __future__ import annotations

from typing import Any

from bot.workspace.core import Core
from bot.workspace.errors import MethodRefused
from bot.workspace.methods.args import Args

__all__ = ["auth_test", "bots_info", "group_members", "users_info"]


def auth_test(core: Core, _args: Args) -> dict[str, Any]:
    """``auth.test``: whose token this is."""
    me = core.identity
    return {
        "ok": True,
        "url": f"https://{me.domain}.slack.com/",
        "team": me.team_name,
        "user": me.bot_name,
        "team_id": me.team_id,
        "user_id": me.bot_user,
        "bot_id": me.bot_id,
        "is_enterprise_install": False,
    }


def users_info(core: Core, args: Args) -> dict[str, Any]:
    """``users.info``."""
    user = core.state.users.get(args.text("user", missing="user_not_found"))
    if user is None:
        raise MethodRefused("user_not_found")
    return {"ok": True, "user": user.form(core.identity.team_id)}


def group_members(core: Core, args: Args) -> dict[str, Any]:
    """``usergroups.users.list``."""
    group = core.state.groups.get(args.text("usergroup", missing="no_such_subteam"))
    if group is None or (group.disabled and not args.flag("include_disabled")):
        raise MethodRefused("no_such_subteam")
    return {"ok": True, "users": list(group.members)}


def bots_info(core: Core, args: Args) -> dict[str, Any]:
    """``bots.info``: the app's own bot; bots of other workspaces are not found, as in Slack."""
    me = core.identity
    if args.optional("bot") != me.bot_id:
        raise MethodRefused("bot_not_found")
    bot = {"id": me.bot_id, "app_id": me.app_id, "user_id": me.bot_user, "name": me.bot_name}
    return {"ok": True, "bot": bot | {"deleted": False}}
