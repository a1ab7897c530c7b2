"""The demo's story: shipped tickets, one for each thing that can come of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.demo.cast import AGENT, HEAD, LEAD, OUTSIDER

__all__ = ["STORY", "Press", "Scene"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """Somebody presses Approve on the card. ``counts`` False: they may not, and are told why."""

    user: str
    counts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One ticket, what it is to show, and who presses Approve where nobody sits at a page."""

    ticket_id: str
    shows: str
    presses: tuple[Press, ...] = ()


STORY: Final = (
    Scene(ticket_id="T-80008", shows="a question, answered in English"),
    Scene(ticket_id="T-80005", shows="a question, answered in French"),
    Scene(
        ticket_id="T-64872",
        shows="a refund that an agent may approve, and an outsider may not",
        presses=(Press(user=OUTSIDER, counts=False), Press(user=AGENT)),
    ),
    Scene(
        ticket_id="T-65273",
        shows="a refund above the agent's limit: a team lead decides",
        presses=(Press(user=AGENT, counts=False), Press(user=LEAD)),
    ),
    Scene(
        ticket_id="T-90904",
        shows="a large refund: two different people sign",
        presses=(Press(user=LEAD), Press(user=HEAD)),
    ),
    Scene(ticket_id="T-80001", shows="a neighbour's order: refused, and not even confirmed"),
    Scene(ticket_id="T-80002", shows="orders to the model inside a ticket: not followed"),
    Scene(ticket_id="T-80004", shows="a safety matter: handed to a person"),
    Scene(ticket_id="T-90403", shows="the model repeats a call: stopped"),
    Scene(ticket_id="T-90204", shows="three errors in a row: stopped"),
    Scene(
        ticket_id="T-90603",
        shows="the shop's answer to a refund is lost: looked up, and not paid twice",
        presses=(Press(user=AGENT),),
    ),
)
