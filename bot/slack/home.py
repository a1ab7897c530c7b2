"""App Home: what waits for one person, the last runs, and whether all is well."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from sqlite_utils import Database

from approvals import Policy
from bot.slack.access import Access
from bot.slack.blocks import home_view
from bot.slack.calls import Calls, Refused, Took
from bot.slack.errors import HomeNotShown
from bot.slack.overview import home_of

__all__ = ["Home"]

_log: Final = logging.getLogger("handrail.slack")


class Home:
    """Publishes App Home.

    Args:
        calls: the Web API.
        access: says what somebody may see.
        policy: in force.
        now_us: the time.
    """

    def __init__(
        self, calls: Calls, *, access: Access, policy: Policy, now_us: Callable[[], int]
    ) -> None:
        self._calls = calls
        self._access = access
        self._policy = policy
        self._now_us = now_us

    def publish(self, db: Database, user_id: str) -> None:
        """Show a person their Home as it stands now.

        Raises:
            PersonUnavailable: Slack could not say who they are.
            HomeNotShown: Slack did not take it; it may be tried again.
        """
        person = self._access.look_up(user_id)
        view = home_of(
            db,
            self._policy,
            person,
            viewer=self._access.is_viewer_somewhere(person),
            operator=self._access.is_operator(person),
            now_us=self._now_us(),
        )
        answer = self._calls.write("views.publish", {"user_id": user_id, "view": home_view(view)})
        match answer:
            case Took():
                return
            case Refused(code=code):  # such as a Home that is switched off: no use to try again
                _log.error("App Home could not be shown: %s; handrail doctor says what to do", code)
            case _:
                raise HomeNotShown(f"Slack did not take App Home of {user_id}")
