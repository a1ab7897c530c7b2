"""Who decides at the command line: a user of the policy, at a login and a host."""

from __future__ import annotations

import getpass
import socket

from approvals import SYSTEM, Actor, NotAllowed, Person, Policy, Refusal, Surface

__all__ = ["operator", "person_of", "place"]


def place() -> str:
    """Return login and host, as a decision keeps them."""
    try:
        login = getpass.getuser()
    except (KeyError, OSError):  # a process without an account
        login = "nobody"
    return f"{login}@{socket.gethostname()}"


def operator() -> Actor:
    """Return who cares for the store: nobody of the policy, so the system, from this place."""
    return Actor(who=SYSTEM.who, via=f"{Surface.COMMAND_LINE.value} {place()}")


def person_of(policy: Policy, user_id: str) -> Person:
    """Return the person that ``--as`` names. User groups cannot be looked up from here.

    Raises:
        NotAllowed: the policy does not list them by id.
    """
    if not any(user_id in role.users for role in policy.roles):
        raise NotAllowed(
            Refusal.NO_ROLE,
            f"{user_id} is not listed in the approvals table; at the command line only users that a"
            " role lists by id decide, and user groups do not count",
        )
    return Person(user_id=user_id, surface=Surface.COMMAND_LINE, place=place())
