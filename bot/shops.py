"""The shop that the settings name: to read from, and for approvals alone, to write to."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from approvals import Executes, Route
from approvals.store import Jobs, check_store
from bot.errors import BotError
from bot.settings import Settings
from bot.shop_settings import RefundSettings, ShopKind, ShopSettings
from bot.store import make_folder
from tools import (
    SHIPPED_DATA,
    Action,
    Gateway,
    HttpClient,
    HttpGateway,
    HttpShop,
    PluginGroup,
    Plugins,
    PracticeGateway,
    PracticeShop,
    Shop,
    ShopInvalid,
    StripeGateway,
    open_lasting,
    secret_from,
)

__all__ = [
    "Gateways",
    "decides_only",
    "is_practice",
    "open_gateways",
    "open_kept_shop",
    "open_passing_shop",
    "open_practice_file",
]

_BEARER: Final = "Bearer "


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateways:
    """What carries out approved actions: the shop's own gateway, and one for refunds if given."""

    own: Gateway
    refunds: Gateway | None
    practice_shop: bool

    def by_name(self) -> Mapping[str, Gateway]:
        """Return them by the names that operations bear."""
        found = (self.own, self.refunds)
        return {each.traits.name: each for each in found if each is not None}

    def executes(self, jobs: Jobs) -> Executes:
        """Return where an approval sends its actions."""
        return Executes(
            gateway=self.own.traits.name,
            prepare=self.own.prepare,
            jobs=jobs,
            practice_shop=self.practice_shop,
            refunds=None if self.refunds is None else _route(self.refunds),
        )


def open_kept_shop(settings: Settings, *, tickets: bool = False) -> Shop:
    """Open the shop that approvals change too. Closing it is the caller's.

    Args:
        settings: which shop.
        tickets: the tickets of the same data are worked on, so the practice shop has to be of
            these data; otherwise it is taken as it lies there.

    Raises:
        DataError: the practice shop cannot be made, or holds changes of other data.
        ShopError: the service did not answer.
        ClientRefused, PluginError: it is not set up.
    """
    match settings.shop.kind:
        case ShopKind.PRACTICE:
            return open_practice_file(settings, tickets=tickets)
        case ShopKind.HTTP:
            client = _client(settings.shop)
            with ExitStack() as stack:
                stack.callback(client.close)
                shop = HttpShop.connect(
                    client, ids=settings.shop.id_forms(), timeout_s=settings.shop.timeout_s
                )
                stack.pop_all()
            return shop
        case name:
            plugin: Shop = Plugins().load(PluginGroup.SHOPS, name)(settings.data)
            return plugin


def open_passing_shop(settings: Settings) -> Shop:
    """Open a shop for a run that keeps nothing: the practice shop is built for it alone."""
    if settings.shop.is_practice:
        return PracticeShop.from_folder(settings.data or SHIPPED_DATA)
    return open_kept_shop(settings)


def open_practice_file(settings: Settings, *, tickets: bool = False) -> PracticeShop:
    """Open the practice shop's file, building it where there is none.

    Raises:
        DataError: it cannot be made, or holds changes of other data.
        BotError: the shop of the settings is another one, or the folder cannot be made.
        StoreError: the store beside it is not ours.
    """
    if not settings.shop.is_practice:
        raise BotError(
            f"the shop is {settings.shop.kind}, not the practice shop",
            hint="this command is for the practice shop alone",
        )
    check_store(settings.store)  # a slip in its name must not leave a shop beside a stranger's file
    make_folder(settings.practice_file)
    wanted = (settings.data or SHIPPED_DATA) if tickets else None
    if not tickets and not settings.practice_file.exists():
        wanted = settings.data
    return open_lasting(settings.practice_file, wanted)


def decides_only(settings: Settings) -> Executes:
    """Return where nothing goes: for decisions that set nothing going."""

    def prepare(action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
        del action, ticket_id, operation_id, key
        raise ShopInvalid("no gateway was opened for this decision", code="no_gateway")

    return Executes(
        gateway="none", prepare=prepare, jobs=Jobs(), practice_shop=is_practice(settings)
    )


@contextmanager
def open_gateways(settings: Settings) -> Iterator[Gateways]:
    """Open what writes to the shop, and close it at the end. Nothing is sent by that.

    Raises:
        DataError: the practice shop cannot be made.
        ShopUnavailable: the practice shop cannot be written.
        ClientRefused: an address, a certificate or a secret cannot be used.
        PluginError, BotError: the shop has no gateway.
    """
    with ExitStack() as stack:
        own = _own_gateway(settings, stack)
        refunds = _refund_gateway(settings.refunds, stack)
        yield Gateways(own=own, refunds=refunds, practice_shop=is_practice(settings))


def is_practice(settings: Settings) -> bool:
    """Whether nothing is at stake: neither in the shop, nor where refunds go."""
    return settings.shop.is_practice and settings.refunds.gateway == "shop"


def _own_gateway(settings: Settings, stack: ExitStack) -> Gateway:
    shop = settings.shop
    match shop.kind:
        case ShopKind.PRACTICE:
            open_practice_file(settings).close()
            gateway = PracticeGateway(settings.practice_file, today=settings.day_of_a_run)
            return stack.enter_context(gateway)
        case ShopKind.HTTP:
            client = stack.enter_context(_client(shop))
            if shop.traits is None:
                return HttpGateway(client, timeout_s=shop.timeout_s)
            return HttpGateway(client, traits=shop.traits.traits(), timeout_s=shop.timeout_s)
        case name:
            if name not in Plugins().names(PluginGroup.GATEWAYS):
                raise BotError(
                    f"the shop {name} can be read and not changed: its package has no gateway",
                    hint="a gateway is an entry point of the same name in handrail.gateways",
                )
            plugin: Gateway = Plugins().load(PluginGroup.GATEWAYS, name)()
            return plugin


def _refund_gateway(refunds: RefundSettings, stack: ExitStack) -> Gateway | None:
    if refunds.gateway == "shop":
        return None
    secret = secret_from(os.environ, refunds.key_env, prefix=_BEARER)
    client = HttpClient(refunds.api, headers={"Authorization": secret})
    return StripeGateway(stack.enter_context(client))


def _client(shop: ShopSettings) -> HttpClient:
    headers = {}
    if shop.auth_env is not None:
        secret = secret_from(os.environ, shop.auth_env, prefix=shop.auth_prefix)
        headers[shop.auth_header] = secret
    return HttpClient(shop.url or "", headers=headers, ca_file=shop.ca_file)


def _route(gateway: Gateway) -> Route:
    return Route(gateway=gateway.traits.name, prepare=gateway.prepare)
