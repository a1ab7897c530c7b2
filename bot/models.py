"""Models that answer runs: the servers of the settings, or the recordings of a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock

from bot.model_settings import CHAT_COMPLETIONS, book_of, refused, server_of
from bot.plan import Plan
from bot.settings import Settings
from loop import (
    Clock,
    CostOf,
    LiveModel,
    Means,
    Model,
    MonotonicClock,
    ServerRefused,
    VirtualClock,
)
from recordings import ReplayModel
from tools import PluginGroup, Plugins

__all__ = ["Models", "opened_models", "replayed"]

MakeMeans = Callable[[CostOf], Means]
"""Makes what a live model takes from outside; a test gives its own clock and waits."""


def _machine(cost_of: CostOf) -> Means:
    return Means(cost_of=cost_of)


class Models:
    """The live models of the settings, each opened when it is first asked for, closed together.

    Safe to use from several threads.

    Args:
        settings: which models there are.
        environ: the environment, which holds the keys.
        make_means: of the clock, the waits and so on.
        plugins: where clients that are not ours are found; None asks the installed packages.
    """

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        *,
        make_means: MakeMeans = _machine,
        plugins: Plugins | None = None,
    ) -> None:
        self._settings = settings
        self._environ = environ
        self._make_means = make_means
        self._plugins = plugins
        self._opened: dict[str, Model] = {}
        self._lock = Lock()

    def live(self, name: str) -> Model:
        """Return the model of this name, at its server.

        Raises:
            SettingRefused: its table names no server, or one that cannot be used.
            PluginError: its client is not installed.
        """
        with self._lock:
            if name not in self._opened:
                self._opened[name] = self._open(name)
            return self._opened[name]

    def check(self, plan: Plan) -> None:
        """Refuse a live plan whose model cannot be asked, before anything is kept of its run.

        Raises:
            SettingRefused, PluginError: the model's server cannot be used.
        """
        if plan.live:
            self.live(plan.model)

    def play(self, plan: Plan) -> tuple[Model, Clock]:
        """Return what answers a run, and the clock that the run is timed by.

        Raises:
            SettingRefused, PluginError: the model's server cannot be used.
        """
        if plan.live:
            return self.live(plan.model), MonotonicClock()
        return replayed(plan)

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            for model in self._opened.values():
                if isinstance(model, LiveModel):
                    model.close()
            self._opened.clear()

    def _open(self, name: str) -> Model:
        server = server_of(name, self._settings.models, self._environ)
        book = book_of(name, self._settings.models, server.base_url)
        means = self._make_means(book.cost_of)
        client = self._settings.models[name].client
        try:
            if client == CHAT_COMPLETIONS:
                return LiveModel(server, means)
            plugins = self._plugins or Plugins()
            made: Model = plugins.load(PluginGroup.MODELS, client)(server, means)
        except ServerRefused as error:
            raise refused(name, error) from None
        return made


@contextmanager
def opened_models(settings: Settings, environ: Mapping[str, str]) -> Iterator[Models]:
    """Yield the models of the settings, and close them at the end."""
    models = Models(settings, environ)
    try:
        yield models
    finally:
        models.close()


def replayed(plan: Plan) -> tuple[Model, Clock]:
    """Return the recorded model of a plan, timed by what was recorded."""
    clock = VirtualClock()
    return ReplayModel(plan.recordings, match=plan.match, clock=clock), clock
