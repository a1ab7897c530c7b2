"""``handrail explore``: a page that tries limits on recorded runs."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import sys
import tempfile
import webbrowser
from pathlib import Path

import click

from bot.commands.common import limit_option, settings_options, shown_damage
from bot.errors import BotError
from bot.new_file import STDOUT, check_new, write_new
from bot.plan import choose_profile
from bot.recorded_runs import read_runs
from bot.settings import Settings
from bot.texts import counted
from loop import PROFILES
from recordings import SHIPPED_RECORDINGS
from recordings.explore import Preset, SuccessRule, explore_page

__all__ = ["explore", "success_option", "turns_option"]

success_option = click.option(
    "--success",
    "rule",
    default=SuccessRule.LABEL.value,
    show_default=True,
    type=click.Choice([each.value for each in SuccessRule]),
    help="When a run is a success: by the label that it carries, by our gates (valid), or because "
    "the model finished.",
)
turns_option = click.option(
    "--turns", is_flag=True, help="Each user turn of a dialogue as a run of its own."
)


@click.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@settings_options("profile")
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write the page there instead of opening it; - prints it.",
)
@limit_option("A limit to begin with, in place of the profile's. May be repeated.")
@success_option
@turns_option
@click.option("--no-texts", is_flag=True, help="Leave out what was said: replies, calls, results.")
def explore(
    *,
    paths: tuple[Path, ...],
    settings: Settings,
    page: Path | None,
    limits: dict[str, str],
    rule: str,
    turns: bool,
    no_texts: bool,
) -> int:
    """Make a page that shows where recorded runs would stop under other limits.

    PATH is a file of recordings or a folder of them; without one, those that ship. The page is one
    file that loads nothing and works offline. It holds what customers wrote, unless --no-texts.

    \b
    Examples:
      handrail explore
      handrail explore runs/ --html explore.html
      handrail explore imported.jsonl --success label --limit max_steps=6 --limit max_errors=2
    """
    if page is not None:
        check_new(page)
    read = read_runs(
        paths or (SHIPPED_RECORDINGS,), settings.prices(), SuccessRule(rule), turns=turns
    )
    shown_damage(read.damaged)
    if not read.profiles:
        raise BotError("no run in these recordings asked a model anything", hint="name others")
    profile = choose_profile(settings, limits)
    begin = Preset(name="chosen", limits=profile.limits)
    shipped = (Preset(name=each.name, limits=each.limits) for each in PROFILES.values())
    text = explore_page(
        read.profiles,
        title="Limits on recorded runs",
        presets=[begin, *shipped],
        texts=not no_texts,
    )
    if page == STDOUT:
        click.echo(text, nl=False)
        return 0
    file = page or Path(tempfile.mkdtemp(prefix="handrail-explore-")) / "explore.html"
    write_new(file, text)
    click.echo(f"{counted(len(read.profiles), 'run')} on the page {file}", err=True)
    if page is None and sys.stdout.isatty():
        webbrowser.open(file.absolute().as_uri())
    return 0
