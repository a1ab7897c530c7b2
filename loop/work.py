"""What one run is about: the ticket, the profile, and the tools built for its customer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any

from loop.decision import Ask, step_schema
from loop.finish import finish_spec
from loop.gates import answer_schema
from loop.messages import RequestHead
from loop.profiles import FinishForm, Profile
from tools import (
    Action,
    IdForms,
    Shop,
    Ticket,
    Toolbox,
    ToolContext,
    ToolSpec,
    build_toolbox,
    check_action,
)

__all__ = ["Work", "request_head", "work_for"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one run is about. Nothing in it can write to a shop."""

    ticket: Ticket
    profile: Profile
    toolbox: Toolbox
    """The profile's tools in the profile's order, built for the ticket's customer."""
    owns_order: Callable[[str], bool]
    """Read-only: whether an order exists and is this customer's."""
    check: Callable[[Action], None]
    """Read-only: raises ``ShopError`` where the shop would not do an action now."""
    forms: IdForms
    today: date
    model_name: str
    marks: Mapping[str, Any] = field(default_factory=dict)
    """What the journal says of the run as a whole, such as ``{"constructed": true}``."""


def work_for(
    ticket: Ticket,
    profile: Profile,
    shop: Shop,
    *,
    today: date,
    model_name: str,
    marks: Mapping[str, Any] | None = None,
) -> Work:
    """Return the work of a run on this ticket, its tools built for the ticket's customer alone.

    Raises:
        PluginError: a tool of the profile is not there or does not load.
    """
    context = ToolContext.of(shop, customer_id=ticket.customer_id, today=today)
    return Work(
        ticket=ticket,
        profile=profile,
        toolbox=build_toolbox(profile.tools, context),
        owns_order=context.view.owns_order,
        check=partial(check_action, context.view),
        forms=shop.ids,
        today=today,
        model_name=model_name,
        marks=marks or {},
    )


def request_head(work: Work) -> RequestHead:
    """Return what stays the same over all requests of the run."""
    profile = work.profile
    tools: tuple[ToolSpec, ...] = work.toolbox.specs
    if profile.finish is FinishForm.TOOL:
        tools = (*tools, finish_spec())
    response_format: Mapping[str, Any] | None = None
    if profile.ask is Ask.JSON:
        response_format = {"name": "step", "schema": step_schema(tools)}
    elif profile.finish is FinishForm.ANSWER:
        response_format = {"name": "ticket_analysis", "schema": answer_schema()}
    required = profile.ask is Ask.TOOLS and profile.finish is FinishForm.TOOL
    return RequestHead(
        model=work.model_name,
        tools=tools,
        tool_choice="required" if required else None,
        response_format=response_format,
        max_tokens=profile.max_tokens,
    )
