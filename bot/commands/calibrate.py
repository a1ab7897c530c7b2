"""``handrail calibrate``: limits proposed from recorded runs, with the price of each."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Final

import click

from bot.calibration_texts import calibration_lines, calibration_value, settings_lines
from bot.commands.common import json_option, limit_option, say, settings_options, shown_damage
from bot.commands.explore import success_option, turns_option
from bot.new_file import check_new, write_new
from bot.plan import choose_profile
from bot.recorded_runs import read_runs
from bot.settings import Settings
from recordings.explore import Calibration, SuccessRule, calibrate, curve_svg

__all__ = ["calibrate_limits"]

_SHARE: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*(%?)", re.ASCII)


def _read_share(context: click.Context, option: click.Parameter, value: str) -> Decimal:
    """Read a share: ``1%`` or ``0.01``."""
    read = _SHARE.fullmatch(value.strip())
    share = Decimal(-1) if read is None else Decimal(read[1]) / (100 if read[2] else 1)
    if not 0 <= share <= 1:
        raise click.BadParameter("is a share from 0% to 100%, such as 1%", context, option)
    return share


@click.command(name="calibrate")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@settings_options("profile")
@click.option(
    "--max-loss",
    default="1%",
    show_default=True,
    metavar="SHARE",
    callback=_read_share,
    help="The share of the successes that may be lost.",
)
@success_option
@turns_option
@limit_option("A limit in place of the profile's, to compare with. May be repeated.")
@click.option(
    "--svg",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw failures caught over successes lost. The file must not be there yet.",
)
@json_option
def calibrate_limits(
    *,
    paths: tuple[Path, ...],
    settings: Settings,
    max_loss: Decimal,
    rule: str,
    turns: bool,
    limits: dict[str, str],
    svg: Path | None,
    as_json: bool,
) -> int:
    """Propose limits from recorded runs.

    A PATH is a file of recordings, a folder of them, or a store. Each limit is tried alone, then
    together: how many runs that succeeded would have been stopped earlier (lost), how many that
    failed (caught), with 95 % intervals. The last lines are for handrail.toml. A success is what
    --success says, and no figure here is better than that.

    Exit status: 0 limits are proposed, 1 the data cannot tell of any, 2 wrong use.

    \b
    Examples:
      handrail calibrate recordings/ --success valid
      handrail calibrate imported.jsonl --max-loss 0.5% --svg trade-off.svg
      handrail calibrate ~/.local/share/handrail/store.sqlite3 --success valid --json
    """
    if svg is not None:
        check_new(svg)
    current = choose_profile(settings, limits).limits
    read = read_runs(
        paths,
        settings.prices(),
        SuccessRule(rule),
        turns=turns,
        duplicates=current.duplicates_in_reply,
    )
    shown_damage(read.damaged)
    found = calibrate(read.profiles, current, max_loss=max_loss)
    if svg is not None:
        write_new(svg, curve_svg(found))
    _show(found, as_json=as_json)
    return 0 if found.best is not None else 1


def _show(found: Calibration, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(calibration_value(found), ensure_ascii=False))
        return
    say(calibration_lines(found))
    lines = list(settings_lines(found))
    if lines:
        click.echo()
        say(lines)
