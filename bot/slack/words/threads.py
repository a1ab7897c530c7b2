"""The single lines that intake, presses and the worker post in a thread."""

from __future__ import annotations

from bot.slack.markup import body, fact, link, mention, message_link
from bot.slack.words.common import A_PERSON

__all__ = [
    "asks_again",
    "cap_reached",
    "customer_first",
    "customer_from_edit",
    "customer_given",
    "customer_known",
    "customer_missing",
    "customer_not_asked",
    "customer_stays",
    "ended",
    "given_up",
    "header_gone",
    "held",
    "message_not_found",
    "message_unavailable",
    "never_began",
    "newer_message",
    "not_a_member",
    "not_an_id",
    "not_our_channel",
    "not_worked_on",
    "other_customer",
    "restarted",
    "same_ticket",
    "ticket_id_changed",
    "unreadable",
    "waits_for_customer",
]


def not_a_member() -> str:
    """Say why a guest or somebody of another company gets no run."""
    return "Only full members of this workspace can hand me tickets. Please ask one of them."


def misfit() -> str:
    """Say why an app's message became no ticket although it was to be one."""
    return (
        "This message names no ticket id of the form that this shop's ids have, so I took no ticket"
        " in. Correct it where the message comes from, or use Triage this in its menu."
    )


def same_ticket(ticket_id: str, channel: str, ts: str) -> str:
    """Say where a ticket is worked on already."""
    thread = link(message_link(channel, ts), "its thread")
    return f"{fact(ticket_id)} is already being worked on: {thread}"


def waits_for_customer(ticket_id: str, channel: str, ts: str) -> str:
    """Say where a ticket is that is known and waits for its customer id."""
    thread = link(message_link(channel, ts), "its thread")
    return (
        f"{fact(ticket_id)} is here already and waits for its customer id: press Give the customer"
        f" in {thread}."
    )


def other_customer(ticket_id: str) -> str:
    """Say that a ticket id cannot be used for a second customer."""
    return (
        f"{fact(ticket_id)} is already the ticket of another customer, so I did not start on this "
        "one. Check the ticket and customer numbers and post it again."
    )


def ticket_id_changed(ticket_id: str) -> str:
    """Say that an edit cannot make another ticket of a message."""
    return (
        f"This thread stays with {fact(ticket_id)}. An edit cannot make it another ticket: please "
        "post the other one as a new message."
    )


def customer_stays(ticket_id: str) -> str:
    """Say that an edit cannot change ids that did not come from the text."""
    return (
        f"The customer of {fact(ticket_id)} was given in a form or by an app, and stays: an edit "
        "of the text cannot change it. If it is wrong, delete this message and post it again."
    )


def customer_given(ticket_id: str, customer_id: str, user_id: str) -> str:
    """Say, in the question's place, who answered it."""
    return f"{fact(ticket_id)} is of customer {fact(customer_id)}, says {mention(user_id)}."


def customer_first(ticket_id: str) -> str:
    """Answer a mention in the thread of a ticket whose customer is not known."""
    return (
        f"I do not know the customer of {fact(ticket_id)} yet, and never take it from a reply: "
        "press Give the customer above. What you wrote is kept, and I start with it then."
    )


def customer_from_edit(ticket_id: str, customer_id: str) -> str:
    """Say, in the question's place, that the message answers it by now."""
    return f"{fact(ticket_id)} is of customer {fact(customer_id)}: the message says so by now."


def customer_not_asked(ticket_id: str) -> str:
    """Say, in the question's place, that it is settled without an answer."""
    return f"The customer of {fact(ticket_id)} is not needed any more."


def ended(ticket_id: str) -> str:
    """Answer a mention in the thread of a ticket that is not worked on any more."""
    return (
        f"I stopped on {fact(ticket_id)}, so nothing follows from this. To have it worked on, use "
        "Triage this in the menu of the first message here, or post the ticket again."
    )


def header_gone() -> str:
    """Say that an edit took the ticket out of a message."""
    return (
        "This message no longer begins with a ticket number, so I stopped. If it should be worked "
        "on, use Triage this in its menu, or post the ticket again with its numbers."
    )


def customer_known() -> str:
    """Say that a ticket's customer was given by somebody else before."""
    return "This ticket's customer is known by now, or the ticket is gone. Nothing was changed."


def not_our_channel() -> str:
    """Say where messages can be made tickets."""
    return "I work in the support channels only. Post the ticket there, and try again."


def message_not_found() -> str:
    """Say which messages can be made tickets."""
    return "I cannot read that message. A message of a channel can be a ticket, a reply cannot."


def message_unavailable() -> str:
    """Say that Slack did not give a message for now."""
    return "Slack did not give me that message just now. Nothing was changed; try again."


def not_an_id(words: str) -> str:
    """Say what an id looks like."""
    return f"That is not a number of ours: it is {words}. Nothing was changed; press again."


def asks_again(user_id: str, asked: str, most: int) -> str:
    """Say who asked for another run, and what for."""
    return f"{mention(user_id)} asks: {body(asked, most)}"


def writing() -> str:
    """Say that a model's reply has begun to come."""
    return "Writing the reply."


def asking_again() -> str:
    """Say that a model's server failed and is asked once more."""
    return "The model did not answer; asking again."


def newer_message() -> str:
    """End a status whose run is of an older text."""
    return "stopped: a newer message came. I start again with that."


def customer_missing() -> str:
    """End a status whose ticket has lost its customer."""
    return "stopped: whose ticket this is, is not known any more."


def not_worked_on() -> str:
    """End a status whose ticket was deleted, or is none any more."""
    return "stopped: this ticket is not worked on any more."


def held(reason: str) -> str:
    """Say why a ticket waits: paused by an operator, or a cap is reached."""
    match reason:
        case "max_runs_per_hour":
            why = "as many runs were begun in the last hour as the settings allow"
        case "max_cost_per_day":
            why = "the last 24 hours cost as much as the settings allow"
        case _:
            why = "an operator paused the runs"
    return f"This ticket waits: {why}. It is worked on as soon as that is over."


def cap_reached(cap: str) -> str:
    """Tell an operator that tickets wait, once for each time."""
    return (
        f"Tickets wait: `slack.{cap}` is reached. They begin by themselves as soon as it allows;"
        " raise it in `handrail.toml` and start `handrail serve` anew to have them sooner."
        " You are told once."
    )


def restarted() -> str:
    """End a status whose run cannot be resumed."""
    return "stopped: what shaped this run changed while it was interrupted. I start again."


def given_up() -> str:
    """End a status whose run failed for reasons of ours, again and again."""
    return f"stopped: a fault on my side came up at every attempt. {A_PERSON}"


def never_began(times: int) -> str:
    """Say that the work on a ticket failed before its run began, again and again."""
    return (
        f"I could not begin with this ticket in {times} attempts, because of a fault on my side. "
        "Nothing was changed. Please take it over, or mention me here to have me try again; an "
        "operator finds the cause in the log."
    )


def unreadable() -> str:
    """Say that a message could not be taken in."""
    return (
        "I could not take in the last message here, because of a fault on my side. Nothing was "
        "changed. Please handle it by hand; an operator can have me try again."
    )
