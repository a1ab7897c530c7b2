"""The models of the settings: ours, an installed plug-in's, and a server that is none."""

from __future__ import annotations

from decimal import Decimal
from importlib.metadata import EntryPoint

import pytest

from bot.errors import SettingRefused
from bot.model_settings import ModelSettings, book_of
from bot.models import Models
from loop import LiveModel, Means, Reply, Request, Server, Usage, VirtualClock
from loop.testing import reply
from tests.bot.live import settings_for
from tests.loop.live.asking import request
from tests.provider import completes, serving
from tools import PluginError, Plugins


class Parrot:
    """A client of somebody else's: says which model it was made for."""

    def __init__(self, server: Server, means: Means) -> None:
        self._server = server
        self._means = means

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        """Return the name of the model."""
        del request, time_left_s
        return reply(text=self._server.model)


def plugins(value: str) -> Plugins:
    return Plugins([EntryPoint(name="parrot", value=value, group="handrail.models")])


def test_a_client_of_a_plug_in_is_made_of_server_and_means() -> None:
    settings = settings_for("http://127.0.0.1", "local", id="bird", client="parrot")
    models = Models(settings, {}, plugins=plugins("tests.bot.test_models:Parrot"))

    model = models.live("local")

    assert model.ask(request(), time_left_s=None).text == "bird"
    assert models.live("local") is model
    models.close()


def test_a_plug_in_that_does_not_load_is_told() -> None:
    settings = settings_for("http://127.0.0.1", "local", client="parrot")

    with pytest.raises(PluginError, match="does not load"):
        Models(settings, {}, plugins=plugins("tests.no_such_module:X")).live("local")


def test_a_model_is_opened_once_and_closed_with_the_others() -> None:
    with serving(completes("One."), completes("Two.")) as provider:
        models = Models(settings_for(provider.url, "local", free=True), {})
        model = models.live("local")
        first = model.ask(request(), time_left_s=None)
        models.close()
        again = models.live("local")
        second = again.ask(request(), time_left_s=None)
        models.close()

    assert isinstance(model, LiveModel)
    assert again is not model
    assert (first.text, second.text) == ("One.", "Two.")


def test_clock_and_waits_are_the_makers() -> None:
    clock = VirtualClock()
    with serving(completes()) as provider:
        models = Models(
            settings_for(provider.url, "local", free=True),
            {},
            make_means=lambda cost_of: Means(cost_of=cost_of, clock=clock, wait=clock.advance),
        )
        answered = models.live("local").ask(request(), time_left_s=None)
        models.close()

    assert answered.latency_us == 0
    assert answered.cost.usd == 0


HERE, THERE = "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"
TABLES = {
    "gpt-oss": ModelSettings(base_url=HERE, free=True),
    "hosted": ModelSettings(base_url=THERE, id="gpt-oss", usd_in=Decimal(5), usd_out=Decimal(0)),
    "again": ModelSettings(base_url=f"{THERE}/", id="other"),
    "unpriced": ModelSettings(base_url=HERE, id="other"),
}


@pytest.mark.parametrize(
    ("name", "answered", "usd"),
    [
        ("gpt-oss", "gpt-oss", 0),
        ("hosted", "gpt-oss", 5),
        ("hosted", "chat-small", 5),
        ("again", "gpt-oss", 5),
        ("unpriced", "gpt-oss", 0),
        ("again", "gemma3:4b", None),
    ],
)
def test_a_table_gives_a_price_at_its_own_server_alone(
    name: str, answered: str, usd: int | None
) -> None:
    """Two servers may know one name, and a server may use the name of a shipped recording."""
    book = book_of(name, TABLES, str(TABLES[name].base_url))

    cost = book.cost_of(answered, name, Usage(tokens_in=1_000_000, tokens_out=1))

    assert cost.usd == usd


@pytest.mark.parametrize("name", ["other", "local"])
def test_a_model_without_a_server_is_named(name: str) -> None:
    settings = settings_for("http://127.0.0.1", "local").model_copy(update={"models": {}})

    with pytest.raises(SettingRefused, match=f'models."{name}".base_url: is not given'):
        Models(settings, {}).live(name)
