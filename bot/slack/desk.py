"""The desk: everything of the bot in one process, opened, started and stopped.

Every process has the gate, takes messages in and decides; the one that holds the serve lock also
runs, executes and posts (``bot.slack.serving``). Where the parts come from is ``bot.slack.parts``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Self

from bot.settings import Settings
from bot.slack.catch_up import CatchUp
from bot.slack.gate import Gate
from bot.slack.outside import Outside
from bot.slack.parts import Parts
from bot.slack.rounds import Rounds
from bot.slack.serving import Serving
from bot.slack.steady import Steady
from bot.slack.troubles import Troubles

__all__ = ["Desk"]


class Desk:
    """One process's part in the bot. Opened by ``Desk.open``, then started and stopped once.

    Attributes:
        gate: stands in front of the listeners of an app.
        catch_up: reads what was not delivered.
        rounds: do so when it is time.
        outside: the model, the clock and ids.
        troubles: what the log was told of.
    """

    def __init__(
        self,
        *,
        gate: Gate,
        catch_up: CatchUp,
        rounds: Rounds,
        outside: Outside,
        troubles: Troubles,
        loops: Sequence[Steady],
        serving: Serving,
        stack: ExitStack,
    ) -> None:
        self.gate = gate
        self.catch_up = catch_up
        self.rounds = rounds
        self.outside = outside
        self.troubles = troubles
        self._loops = loops
        self._serving = serving
        self._stack = stack

    @classmethod
    def open(
        cls,
        settings: Settings,
        token: str,
        *,
        whole_app: bool,
        regularly: bool,
        outside: Outside | None = None,
    ) -> Self:
        """Open the store, the shop and the way to Slack. Nothing runs yet.

        Args:
            settings: of everything.
            token: the bot's.
            whole_app: the app is ours alone, and not a team's that we are attached to.
            regularly: no socket of ours says that all is heard, so whoever holds the serve lock
                reads the channels every few minutes.
            outside: the model, the clock and a name.

        Raises:
            SlackUnreachable: Slack does not know the token, or did not answer.
            StoreError, ToolsError, RecordingUnreadable, PolicyRefused: a part cannot be opened.
        """
        with ExitStack() as stack:
            outside = outside or Outside()
            parts = Parts(settings, token, stack, outside)
            gate = parts.gate(whole_app=whole_app)
            catch_up, loops = parts.catch_up(gate), parts.loops()
            rounds = Rounds(catch_up.run, now_us=outside.now_us)
            besides = {"rounds": rounds.step} if regularly else {}
            return cls(
                gate=gate,
                catch_up=catch_up,
                rounds=rounds,
                outside=outside,
                troubles=parts.troubles,
                loops=loops,
                serving=Serving(parts.lock, partial(parts.hire, besides)),
                stack=stack.pop_all(),
            )

    def start(self) -> None:
        """Take messages in, decide, and try for the lock."""
        for loop in self._loops:
            loop.start()
        self._serving.start()

    def stop(self) -> None:
        """Finish what was begun, and close everything. What was stored and not done stays."""
        for loop in self._loops:
            loop.stop()
        self._serving.stop()
        self._stack.close()

    @property
    def holds_lock(self) -> bool:
        """Whether this process runs the jobs of the store."""
        return self._serving.holds_lock
