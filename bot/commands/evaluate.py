"""``handrail eval`` and ``handrail compare``: recorded runs against the labels of their tickets."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from bot.commands.common import json_option, limit_option, say, settings_options, shown_damage
from bot.evaluating import Evaluated, Evaluator, data_digest, price_digest, prompt_digest
from bot.evaluation_page import evaluation_page
from bot.evaluation_runs import Planned, planned_live, planned_replays, tickets_of
from bot.evaluation_texts import comparison_lines, miss_lines, total_lines
from bot.models import Models, opened_models
from bot.new_file import STDOUT, check_new, write_new
from bot.now import utc_now
from bot.places import environment
from bot.plan import LIVE, choose_profile
from bot.settings import Settings
from bot.supplies import open_supplies
from bot.texts import counted
from loop import Profile
from recordings import SHARES, Approve, Evaluation, Identity, compare
from tools import SHIPPED_DATA

__all__ = ["compare_evaluations", "evaluate"]

SHOWN_MISSES: Final = 20


@click.command(name="eval")
@settings_options(
    "profile", "model", "live", "ask", "record", "data", "recordings", "match", "today"
)
@click.option("--slice", "slice_name", metavar="NAME", help="Only tickets of this kind.")
@click.option(
    "--approve",
    default=Approve.LABELS.value,
    show_default=True,
    type=click.Choice([each.value for each in Approve]),
    help="Who stands in for the approver: one who signs what equals the label, or one who signs "
    "all, the worst case.",
)
@click.option(
    "--repeat",
    default=1,
    show_default=True,
    type=click.IntRange(1, 1000),
    metavar="N",
    help="So many runs of each ticket, or as many as are recorded.",
)
@limit_option("A limit in place of the profile's. May be repeated.")
@click.option(
    "--save",
    "file",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Keep the result as JSON, for handrail compare. The file must not be there yet; - prints "
    "it, and nothing else.",
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the report as one page, misses first, each with its trace.",
)
@click.option(
    "--fail-under",
    "floors",
    multiple=True,
    metavar="[FIGURE=]SHARE",
    help="Exit with 1 where a share is below this, such as 90% or team=0.95. May be repeated.",
)
def evaluate(
    *,
    settings: Settings,
    slice_name: str | None,
    approve: str,
    repeat: int,
    limits: dict[str, str],
    file: Path | None,
    page: Path | None,
    floors: tuple[str, ...],
) -> int:
    """Score recorded runs, or with --live a model, against the labels of the tickets.

    Each run goes through the loop, under the limits of today, over its recorded replies. What it
    proposes is approved by a stand-in, carried out in a practice shop of its own, and what
    changed there is read back. Figures that a label does not give count nowhere.

    Exit status: 0, or 1 where a share is below --fail-under, 2 wrong use.

    \b
    Examples:
      handrail eval
      handrail eval --profile desk --approve all --html report.html
      handrail eval --slice failure --fail-under 90% --fail-under person=0.95
      handrail eval --limit max_steps=4 --save four.json
      handrail eval --live --model local --record runs/ --save local.json
    """
    wanted = [_floor(text) for text in floors]
    for each in (file, page):
        if each is not None:
            check_new(each)
    profile = choose_profile(settings, limits)
    with (
        open_supplies(
            data=settings.data, recordings=settings.recordings, prices=settings.prices()
        ) as supplies,
        _models(settings) as models,
    ):
        shown_damage(supplies.damaged)
        tickets = tickets_of(supplies, slice_name)
        if settings.live:
            planned = planned_live(supplies, settings, tickets, limits, repeat=repeat)
        else:
            planned = planned_replays(supplies, settings, tickets, profile.limits, repeat=repeat)
        evaluated = _run_all(settings, planned, Approve(approve), models)
    evaluation = Evaluation(
        made_at=utc_now(),
        identity=_identity(settings, profile, evaluated, Approve(approve), slice_name),
        runs=tuple(each.judged for each in evaluated),
    )
    if page is not None:
        write_new(page, evaluation_page(evaluation, evaluated))
    if file == STDOUT:
        click.echo(evaluation.as_json(), nl=False)
    else:
        if file is not None:
            write_new(file, evaluation.as_json())
        without = len(tickets) - len({each.ticket_id for each in planned})
        say(_report(evaluation, evaluated, without))
    return _below(evaluation, wanted)


@click.command(name="compare")
@click.argument("first", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("second", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@json_option
def compare_evaluations(*, first: Path, second: Path, as_json: bool) -> int:
    """Compare two results that handrail eval --save kept: B against A.

    Says in what they were made differently: a difference of prompts is what you may want to see,
    a difference of data makes the figures of unlike things.

    \b
    Example:
      handrail compare before.json after.json
    """
    one, two = Evaluation.read(first), Evaluation.read(second)
    comparison = compare(one, two)
    if as_json:
        click.echo(
            json.dumps(
                {
                    "unlike": comparison.unlike,
                    "only_first": comparison.only_first,
                    "only_second": comparison.only_second,
                    "differences": [
                        {
                            "name": each.name,
                            "first": [each.first.right, each.first.of],
                            "second": [each.second.right, each.second.of],
                            "won": each.won,
                            "lost": each.lost,
                            "chance": each.chance,
                        }
                        for each in comparison.differences
                    ],
                },
                ensure_ascii=False,
            )
        )
    else:
        say(comparison_lines(one, two, comparison, names=(first.name, second.name)))
    return 0


@contextmanager
def _models(settings: Settings) -> Iterator[Models | None]:
    """Yield the models of a live evaluation; one that cannot be asked is refused before any run."""
    if not settings.live:
        yield None
        return
    with opened_models(settings, environment()) as models:
        models.live(settings.model)
        yield models


def _run_all(
    settings: Settings, planned: Sequence[Planned], approve: Approve, models: Models | None
) -> list[Evaluated]:
    data = settings.data or SHIPPED_DATA
    with tempfile.TemporaryDirectory(prefix="handrail-eval-") as folder:
        evaluator = Evaluator(Path(folder), data, approve=approve)
        with click.progressbar(
            planned, label="Running", file=sys.stderr, show_pos=True, hidden=not sys.stderr.isatty()
        ) as bar:
            return [evaluator.evaluate(each, models) for each in bar]


def _identity(
    settings: Settings,
    profile: Profile,
    evaluated: Iterable[Evaluated],
    approve: Approve,
    slice_name: str | None,
) -> Identity:
    heads = [each.story.opened.head for each in evaluated]
    return Identity(
        profile=profile.name,
        model=settings.model,
        approve=approve,
        limits={
            name: None if value is None else str(value)
            for name, value in profile.limits.as_dict().items()
        },
        prompt=prompt_digest(profile, heads),
        data=data_digest(settings.data or SHIPPED_DATA),
        prices=price_digest(settings.prices()),
        match=LIVE if settings.live else settings.match.value,
        today=settings.day_of_a_run().isoformat(),
        slice=slice_name,
    )


def _report(evaluation: Evaluation, evaluated: Sequence[Evaluated], without: int) -> Iterator[str]:
    yield from total_lines(evaluation)
    if without:
        yield f"{counted(without, 'ticket')} more without a recording of this profile and model."
    missed = [each for each in evaluated if each.judged.missed]
    for each in missed[:SHOWN_MISSES]:
        yield from miss_lines(each)
    if len(missed) > SHOWN_MISSES:
        yield f"{len(missed) - SHOWN_MISSES} more misses; --html shows all, with their traces."


def _floor(text: str) -> tuple[str, float]:
    """Read ``90%``, ``0.9`` or ``team=0.9``."""
    name, equals, share = text.rpartition("=")
    name = name if equals else "success"
    if name not in SHARES:
        raise click.BadParameter(f"{name!r} is none of {', '.join(SHARES)}")
    try:
        value = float(share.removesuffix("%")) / (100 if share.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise click.BadParameter(f"{share!r} is no share such as 90% or 0.9")
    return name, value


def _below(evaluation: Evaluation, floors: Iterable[tuple[str, float]]) -> int:
    shares = evaluation.totals().shares
    status = 0
    for name, floor in floors:
        value = shares[name].value
        if value is None:
            click.echo(f"error: no label says anything of {name}", err=True)
            status = 1
        elif value < floor:
            click.echo(f"error: {name} is {value:.1%}, below {floor:.1%}", err=True)
            status = 1
    return status
