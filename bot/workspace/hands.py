"""The people's side: what somebody in Slack can do, each as one verb that also tells the app."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bot.workspace import events, interactions
from bot.workspace.core import Core
from bot.workspace.errors import NotPossible
from bot.workspace.messages import Message, typed
from bot.workspace.methods.views import changed_view, new_view
from bot.workspace.people import User
from bot.workspace.state import direct_id
from bot.workspace.surfaces import View
from bot.workspace.traffic import Answer, Delivery, Kind

__all__ = ["Hands"]


class Hands:
    """What people and other bots do. ``deliver=False`` does it without telling the app."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._state = core.state

    def post(
        self,
        user: str | None,
        text: str,
        *,
        channel: str,
        thread: Message | str | None = None,
        broadcast: bool = False,
        deliver: bool = True,
        **fields: Any,
    ) -> Message:
        """Post what a person types (it is escaped), or with ``user=None`` what another app sends.

        ``fields`` are further fields of :class:`Message`: ``files``, ``blocks``, ``bot_id``,
        ``workflow_id``, ``metadata``, ``subtype`` and so on.
        """
        root = thread.root if isinstance(thread, Message) else thread
        if broadcast:
            fields.setdefault("subtype", "thread_broadcast")
        elif fields.get("files"):
            fields.setdefault("subtype", "file_share")
        if user is None:
            fields.setdefault("subtype", "bot_message")
        else:
            self._require_member(user, channel)
            fields.setdefault("blocks", (_rich_text(text),) if text else ())
        with self._state.changing():
            message = Message(
                channel=channel,
                ts=self._state.new_ts(),
                user=user,
                text=typed(text, self._state.names()),
                thread_ts=root,
                **fields,
            )
            self._state.messages.put(message)
        if deliver:
            events.posted(self._core, message)
        return message

    def edit(self, message: Message, text: str, *, deliver: bool = True) -> Message:
        """Change the text of a message, as its author does."""
        return self.alter(
            message,
            text=typed(text, self._state.names()),
            blocks=(_rich_text(text),),
            edited_by=message.user,
            edited_ts=self._state.new_ts(),
            deliver=deliver,
        )

    def alter(self, message: Message, *, deliver: bool = True, **fields: Any) -> Message:
        """Change any field and tell it as ``message_changed``.

        Without fields it is what a new reply count looks like, with ``attachments`` an unfurl.
        """
        with self._state.changing():
            before = self._state.message(message.channel, message.ts)
            after = replace(before, **fields)
            self._state.messages.put(after)
        if deliver:
            events.changed(self._core, before, after)
        return after

    def delete(self, message: Message, *, deliver: bool = True) -> None:
        """Delete a message. One with replies leaves a tombstone, told as ``message_changed``."""
        with self._state.changing():
            before = self._state.message(message.channel, message.ts)
            if self._state.messages.replies(message.channel, message.ts):
                tombstone = Message(
                    channel=before.channel,
                    ts=before.ts,
                    user="USLACKBOT",
                    subtype="tombstone",
                    text="This message was deleted.",
                    thread_ts=before.ts,
                    hidden=True,
                )
                self._state.messages.put(tombstone)
            else:
                tombstone = None
                self._state.messages.remove(before)
        if deliver and tombstone is not None:
            events.changed(self._core, before, tombstone)
        elif deliver:
            events.deleted(self._core, before)

    def click(self, user: str, place: Message | View, action_id: str, **given: Any) -> Delivery:
        """Press what carries an action id, on that version of a message or view.

        Pass a kept older version to press what a screen still shows. ``given`` adds fields to the
        action (``selected_option``).
        """
        payload = interactions.block_actions(
            self._core, self._person(user), place, action_id, given
        )
        return self._core.courier.send(Kind.INTERACTIVE, payload)

    def submit(self, user: str, values: dict[str, Any] | None = None) -> Delivery:
        """Fill the form that is open (fields by action id or block id) and send it.

        Raises:
            NotPossible: if no form is open, or Slack itself would refuse the values.
        """
        view = self._open_view(user)
        filled = interactions.form_values(view.blocks, values or {}, required=True)
        payload = interactions.view_submission(self._core, self._person(user), view, filled)
        return self._core.courier.send(
            Kind.INTERACTIVE, payload, answered=lambda answer: self._submitted(view, answer)
        )

    def close(self, user: str) -> Delivery | None:
        """Close the form that is open; the app hears of it if the form asked for that."""
        view = self._open_view(user)
        with self._state.changing():
            self._state.stacks[user].pop()
        if not view.body.get("notify_on_close"):
            return None
        payload = interactions.view_closed(self._core, self._person(user), view)
        return self._core.courier.send(Kind.INTERACTIVE, payload)

    def open_home(self, user: str) -> Delivery:
        """Open the bot's App Home."""
        home = self._state.views.get(self._state.homes.get(user, ""))
        event: dict[str, Any] = {
            "type": "app_home_opened",
            "user": user,
            "channel": direct_id(user),
            "tab": "home",
            "event_ts": f"{self._core.clock.now():.6f}",
        }
        if home is not None:
            event["view"] = self._core.view_form(home)
        return events.announce(self._core, event)

    def command(self, user: str, name: str, text: str = "", *, channel: str) -> Delivery:
        """Type a slash command."""
        payload = interactions.command(self._core, self._person(user), channel, name, text)
        return self._core.courier.send(Kind.COMMAND, payload)

    def shortcut(self, user: str, callback_id: str, message: Message | None = None) -> Delivery:
        """Use a shortcut, of the message's menu if there is a message."""
        person = self._person(user)
        if message is None:
            payload = interactions.shortcut(self._core, person, callback_id)
        else:
            payload = interactions.message_shortcut(self._core, person, message, callback_id)
        return self._core.courier.send(Kind.INTERACTIVE, payload)

    def join(self, channel: str, users: Iterable[str]) -> None:
        """Let people (or the bot) join a channel."""
        with self._state.changing():
            members = self._state.channels[channel].members
            self._state.change_channel(channel, members=tuple({*members, *users}))
        for user in users:
            events.lifecycle(self._core, "member_joined_channel", user=user, channel=channel)

    def _submitted(self, view: View, answer: Answer) -> None:
        """Do with the form what the app's answer says."""
        body = answer.body or {}
        stack = self._state.stacks.get(view.user, [])
        with self._state.changing():
            match body.get("response_action"):
                case "errors":
                    shown = tuple(sorted(body.get("errors", {}).items()))
                    self._state.views[view.id] = replace(view, errors=shown)
                case "update":
                    changed_view(self._core, view, body["view"])
                case "push":
                    stack.append(new_view(self._core, view.user, body["view"], below=view).id)
                case "clear":
                    stack.clear()
                case _:
                    if view.id in stack:
                        stack.remove(view.id)

    def _open_view(self, user: str) -> View:
        stack = self._state.stacks.get(user)
        if not stack:
            raise NotPossible(f"{user} has no form open")
        return self._state.views[stack[-1]]

    def _person(self, user: str) -> User:
        """Return a user; an unknown id stands for somebody whom ``users.info`` does not know."""
        return self._state.users.get(user) or User(id=user, name=user.lower())

    def _require_member(self, user: str, channel: str) -> None:
        if user not in self._state.channels[channel].members:
            raise NotPossible(f"{user} is no member of {channel}")


def _rich_text(text: str) -> dict[str, Any]:
    """Return the block in which Slack sends what a person typed, unescaped."""
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "block_id": "typed", "elements": [section]}
