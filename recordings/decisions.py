"""What a recorded reply asked for, read from the journal alone, in either way of asking."""

from __future__ import annotations

from loop import Ask, Decision, Opened, Replied, WireCall, decide

__all__ = ["ask_of", "calls_of", "decision_of"]


def ask_of(opened: Opened) -> Ask:
    """Return how the run's model was asked: it shows in the schema of the request."""
    form = opened.head.response_format
    return Ask.JSON if form is not None and form["name"] == "step" else Ask.TOOLS


def decision_of(opened: Opened, replied: Replied) -> Decision:
    """Return what the run read out of a reply."""
    head = opened.head
    return decide(replied.reply, ask_of(opened), head.tools, head.max_tokens, replied.step)


def calls_of(opened: Opened, replied: Replied) -> tuple[WireCall, ...]:
    """Return the calls that a reply asks for."""
    return decision_of(opened, replied).calls
