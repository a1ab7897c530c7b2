"""The demo's house: a folder that passes, the workspace, and the real bot between the two."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

from pydantic import SecretStr

from bot.demo.cast import APPROVALS, CHANNEL, FRONT_DESK, HEAD
from bot.demo.pace import Pace
from bot.settings import Settings
from bot.shops import Gateways
from bot.slack.outside import Outside
from bot.slack.serve import served
from bot.slack.settings import SlackSecrets, SlackSettings
from bot.supplies import load_cases
from bot.workspace import Message, Workspace
from tools import Change, PassingFolder, PracticeGateway, TicketCase, TicketFaultsGateway

__all__ = ["Stage"]

PREFIX: Final = "handrail-demo-"
"""The names of the demo's folders begin so."""


class Stage:
    """The bot at work in a workspace, over a store and a shop that end with it.

    Args:
        workspace: started by the caller, and stopped by them.
        speed: how fast the bot's time goes; 1 is as on the wall.
    """

    def __init__(self, workspace: Workspace, speed: float) -> None:
        self.workspace = workspace
        self.cases: Mapping[str, TicketCase] = load_cases(None)
        self._speed = speed
        self._stack = ExitStack()

    def open(self) -> None:
        """Make the folder, and have the bot connect over Socket Mode.

        Raises:
            BotError, StoreError, ToolsError: a part cannot be opened; nothing is left behind.
        """
        self.pace = Pace(self._speed)
        with ExitStack() as stack:
            folder = PassingFolder.make(PREFIX)
            stack.callback(folder.close)
            self._settings = self._settings_in(folder.path)
            outside = Outside(
                play=self.pace.play, now_us=self.pace.now_us, gateways=self._with_faults
            )
            stack.enter_context(served(self._settings, self._secrets(), outside=outside))
            stack.callback(self.pace.end)
            self.workspace.wait_for_sockets()
            self._stack = stack.pop_all()

    def close(self) -> None:
        """Stop the bot and delete the folder; a second call does nothing."""
        self._stack.close()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def changes(self) -> tuple[Change, ...]:
        """Return what is in the shop's books since it was opened: each write that happened."""
        file, today = self._settings.practice_file, self._settings.day_of_a_run()
        with PracticeGateway(file, today=lambda: today) as gateway:
            return gateway.changes()

    def post(self, ticket_id: str) -> Message:
        """Let the front desk post a shipped ticket."""
        ticket = self.cases[ticket_id].ticket
        return self.workspace.post(
            None,
            f"{ticket.ticket_id} {ticket.customer_id}\n{ticket.text}",
            channel=CHANNEL,
            bot_id=FRONT_DESK,
            username="Front desk",
            files=tuple(
                {"id": f"F{number}", "name": name}
                for number, name in enumerate(ticket.attachments, start=1)
            ),
        )

    def _settings_in(self, folder: Path) -> Settings:
        """Return settings that are read from nowhere."""
        return Settings.model_construct().model_copy(
            update={
                "store": folder / "handrail.sqlite3",
                "slack": SlackSettings(
                    channels=frozenset({CHANNEL}),
                    apps=frozenset({FRONT_DESK}),
                    operators=frozenset({HEAD}),
                    api=self.workspace.base_url,
                ),
                "approvals": APPROVALS,
            }
        )

    def _secrets(self) -> SlackSecrets:
        me = self.workspace.identity
        return SlackSecrets(bot_token=SecretStr(me.bot_token), app_token=SecretStr(me.app_token))

    def _with_faults(self, gateways: Gateways) -> Gateways:
        """Let the writes for a shipped ticket meet the faults that its data name."""
        faults = {ticket_id: case.faults for ticket_id, case in self.cases.items()}
        return replace(gateways, own=TicketFaultsGateway(gateways.own, faults))
