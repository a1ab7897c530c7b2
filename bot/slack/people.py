"""Who is in the workspace: looked up at Slack, kept for five minutes, and closed when in doubt.

What a click says about its user is not used: team ids differ between posting and clicking in a
shared workspace, and a payload may be a replay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from approvals import GroupUnavailable, Person, PersonKind, look_up_person
from bot.slack.calls import Calls, Failure, Refused, Took
from bot.slack.errors import PersonUnavailable
from bot.slack.remedies import Course, course_of, told_of
from bot.slack.troubles import Troubles

__all__ = ["KEPT_US", "People"]

KEPT_US: Final = 5 * 60 * 1_000_000
"""How long an answer of Slack counts: who leaves a role, decides for five minutes at most."""
WHO: Final = "Slack does not say who somebody is"
"""The name of that trouble."""
_DOCTOR: Final = "handrail doctor looks at the tokens and scopes"
_NO_GROUP: Final = "look at the id of the user group in handrail.toml"
PAGE: Final = 200
MOST_PAGES: Final = 50

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    value: Any
    at_us: int


class People:
    """Looks people, groups and channel members up. Only answers are kept, never failures.

    Used by one thread at a time, or by several: two look-ups at once cost a call more, no more.

    Args:
        calls: the Web API.
        team_id: the workspace that the app is installed in.
        groups: the user groups of the approvals table.
        now_us: the time.
        troubles: told of what Slack does not say, and when it says it again; None where whoever
            asked shows that.
    """

    def __init__(
        self,
        calls: Calls,
        *,
        team_id: str,
        groups: Collection[str],
        now_us: Callable[[], int],
        troubles: Troubles | None,
    ) -> None:
        self._calls = calls
        self._team_id = team_id
        self._groups = frozenset(groups)
        self._now_us = now_us
        self._troubles = troubles
        self._kept: dict[tuple[str, str], _Kept] = {}

    def look_up(self, user_id: str) -> Person:
        """Return a person with their groups among those of the approvals table.

        Raises:
            PersonUnavailable: Slack could not say who they are.
            TransactionOpen: called inside ``tx()``.
        """
        kind = self.kind_of(user_id)
        groups = self._groups if kind is PersonKind.MEMBER else frozenset()
        return look_up_person(user_id, kind, groups=groups, members_of=self.members_of)

    def kind_of(self, user_id: str) -> PersonKind:
        """Return what somebody is here. A deleted account is an outsider.

        Raises:
            PersonUnavailable: Slack could not say.
        """
        return self._keep("user", user_id, lambda: self._ask_kind(user_id))

    def members_of(self, group_id: str) -> frozenset[str]:
        """Return the users of a user group.

        Raises:
            GroupUnavailable: Slack could not say, or the group is switched off.
        """
        return self._keep("group", group_id, lambda: self._ask_group(group_id))

    def is_in_channel(self, channel: str, user_id: str) -> bool:
        """Whether somebody is in a channel.

        Raises:
            PersonUnavailable: Slack could not say.
        """
        return user_id in self._keep("channel", channel, lambda: self._ask_channel(channel))

    def _keep(self, kind: str, name: str, ask: Callable[[], T]) -> T:
        now_us = self._now_us()
        kept = self._kept.get((kind, name))
        if kept is not None and kept.at_us <= now_us < kept.at_us + KEPT_US:
            value: T = kept.value
            return value
        value = ask()
        self._kept[kind, name] = _Kept(value=value, at_us=now_us)
        return value

    def _ask_kind(self, user_id: str) -> PersonKind:
        answer = self._calls.read("users.info", user=user_id)
        if isinstance(answer, Took):
            self._well(WHO)
            return _kind(answer.data["user"], self._team_id)
        if isinstance(answer, Refused) and answer.code in ("user_not_found", "user_not_visible"):
            return PersonKind.OUTSIDER
        raise PersonUnavailable(user_id, self._tell(WHO, "users.info", answer))

    def _ask_group(self, group_id: str) -> frozenset[str]:
        method = "usergroups.users.list"
        answer = self._calls.read(method, usergroup=group_id)
        trouble = f"Slack does not say who is in the user group {group_id}"
        if isinstance(answer, Took):
            self._well(trouble)
            return frozenset(answer.data["users"])
        told = self._tell(trouble, method, answer, unknown=_NO_GROUP)
        raise GroupUnavailable(f"user group {group_id} could not be looked up ({told})")

    def _ask_channel(self, channel: str) -> frozenset[str]:
        method, trouble = "conversations.members", f"Slack does not say who is in {channel}"
        found: set[str] = set()
        cursor = ""
        for _ in range(MOST_PAGES):
            more = {"cursor": cursor} if cursor else {}
            answer = self._calls.read(method, channel=channel, limit=PAGE, **more)
            if not isinstance(answer, Took):
                raise PersonUnavailable(channel, self._tell(trouble, method, answer))
            found.update(answer.data["members"])
            cursor = (answer.data.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                break
        self._well(trouble)
        return frozenset(found)

    def _tell(self, trouble: str, method: str, answer: Failure, *, unknown: str = _DOCTOR) -> str:
        """Say what is not known and what to do, once; return what the call came to.

        ``unknown`` is what to do about a code of no remedy.
        """
        told, to_do = told_of(method, answer)
        if isinstance(answer, Refused) and course_of(answer.code) is Course.GIVE_UP:
            to_do = unknown
        if self._troubles is not None:
            text = "%s (%s), so nobody is let in by it. To do: %s"
            self._troubles.tell(trouble, text, trouble, told, to_do)
        return told

    def _well(self, trouble: str) -> None:
        if self._troubles is not None:
            self._troubles.over(trouble)


def _kind(user: Mapping[str, Any], team_id: str) -> PersonKind:
    if user.get("is_bot") or user.get("is_workflow_bot") or user.get("id") == "USLACKBOT":
        return PersonKind.BOT
    teams = (user.get("enterprise_user") or {}).get("teams") or [user.get("team_id")]
    if user.get("deleted") or user.get("is_stranger") or team_id not in teams:
        return PersonKind.OUTSIDER
    if user.get("is_restricted") or user.get("is_ultra_restricted"):
        return PersonKind.GUEST
    return PersonKind.MEMBER
