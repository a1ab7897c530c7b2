"""``handrail labels``: what people made of runs, as eval data."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from bot.commands.common import json_option, say, settings_options
from bot.errors import BotError
from bot.labels.judged import JudgedRun, ReadJudged, read_judged
from bot.labels.redacted import redacted_run
from bot.labels.shop_files import shop_files
from bot.labels.signs import Sign, Worth
from bot.labels.tasks import Tasks, tasks_of
from bot.new_file import new_private_folder, write_new
from bot.settings import Settings
from bot.shop_settings import ShopKind
from bot.store import open_existing
from bot.texts import counted
from recordings import encode
from tools import SHIPPED_DATA

__all__ = ["labels"]

DATA: Final = "data"
RECORDINGS: Final = "recordings"
_WORTH_WORDS: Final = {
    Worth.SUCCEEDED: "succeeded",
    Worth.FAILED: "failed",
    Worth.CONTRADICTORY: "contradictory, so unknown",
    Worth.UNDECIDED: "with nothing that decides",
}
PRIVATE: Final = 0o700


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@settings_options("data", "store")
@json_option
def labels(*, folder: Path, settings: Settings, as_json: bool) -> int:
    """Make eval data of what people did with the runs in the store.

    FOLDER is new. It gets the judged runs, each with a label, in recordings/; and the tickets whose
    right outcome people showed, in data/, with the practice shop's data beside them. Helpful, not
    helpful, edited, discarded, taken over, approved, rejected and why: all of it counts, and who it
    was is left out. Texts are redacted (keys, cards, addresses, phone numbers, mentions of people).

    \b
    Examples:
      handrail labels judged
      handrail explore judged/recordings --success label
      handrail eval --data judged/data --recordings judged/recordings --match sequence
    """
    with open_existing(settings.store) as db:
        read = read_judged(db)
    if not read.runs:
        raise BotError(
            f"nobody has judged a run in {settings.store} that has ended",
            hint="the buttons below drafts and on cards do; handrail proposals approve too",
        )
    made = _Made.of(read, _shop_files(settings))
    with new_private_folder(folder) as part:
        _write(part, made)
    if as_json:
        click.echo(json.dumps(made.as_json(), ensure_ascii=False))
    else:
        say(_report(folder, made))
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """All that is written and said."""

    read: ReadJudged
    runs: tuple[JudgedRun, ...]
    tasks: Tasks
    shop: Mapping[str, str]

    @classmethod
    def of(cls, read: ReadJudged, shop: Mapping[str, str]) -> _Made:
        runs = tuple(map(redacted_run, read.runs))
        return cls(read=read, runs=runs, tasks=tasks_of(runs), shop=shop)

    @property
    def worth(self) -> Counter[Worth]:
        return Counter(run.worth for run in self.runs)

    @property
    def signs(self) -> Counter[Sign]:
        return sum((run.signs for run in self.runs), Counter())

    def as_json(self) -> dict[str, Any]:
        return {
            "runs": {worth.value: self.worth[worth] for worth in Worth},
            "signs": {sign.value: self.signs[sign] for sign in Sign},
            "tickets": len(self.tasks.lines),
            "contradictory_tickets": list(self.tasks.contradictory),
            "unfinished": self.read.unfinished,
            "erased": self.read.erased,
            "shop_files": list(self.shop),
        }


def _shop_files(settings: Settings) -> Mapping[str, str]:
    if settings.shop.kind != ShopKind.PRACTICE:
        return {}
    return shop_files(settings.data or SHIPPED_DATA)


def _write(part: Path, made: _Made) -> None:
    for name in (DATA, RECORDINGS):
        (part / name).mkdir(mode=PRIVATE)
    write_new(part / RECORDINGS / "judged.jsonl", "".join(_lines(made.runs)))
    tasks = (f"{json.dumps(line, ensure_ascii=False)}\n" for line in made.tasks.lines)
    write_new(part / DATA / "tasks.jsonl", "".join(tasks))
    for name, text in made.shop.items():
        write_new(part / DATA / name, text)


def _lines(runs: Iterable[JudgedRun]) -> Iterator[str]:
    for run in runs:
        for entry in run.recording.entries:
            yield f"{encode(run.recording.name, entry)}\n"


def _report(folder: Path, made: _Made) -> Iterator[str]:
    worth = [f"{made.worth[each]} {words}" for each, words in _WORTH_WORDS.items()]
    yield f"{counted(len(made.runs), 'judged run')}: {', '.join(worth)}"
    yield f"what people did: {_signs(made.signs)}"
    yield f"{counted(len(made.tasks.lines), 'ticket')} whose right outcome they showed"
    if made.tasks.contradictory:
        count = counted(len(made.tasks.contradictory), "ticket")
        yield f"{count} left out: people showed different outcomes ({_few(made.tasks)})"
    if made.read.unfinished:
        yield f"{counted(made.read.unfinished, 'more judged run')} left out: without an end so far"
    if made.read.erased:
        yield f"{counted(made.read.erased, 'more judged run')} left out: the journal is erased"
    if not made.shop:
        yield "the shop's data are not the practice shop's: eval needs them beside tasks.jsonl"
    yield ""
    yield f"written to {folder}; next: handrail explore {folder / RECORDINGS} --success label"


def _signs(signs: Counter[Sign]) -> str:
    found = [f"{sign.value.replace('_', ' ')} {signs[sign]}" for sign in Sign if signs[sign]]
    return ", ".join(found) or "nothing"


def _few(tasks: Tasks) -> str:
    more = len(tasks.contradictory) - 3
    return ", ".join(tasks.contradictory[:3]) + (f" and {more} more" if more > 0 else "")
