"""What commands have in common: options, settings with options over them, lines to the reader."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import wraps
from pathlib import Path
from typing import Any, Final, assert_never

import click

from bot.errors import RunNotFound
from bot.settings import Settings, load_settings, read_day
from bot.story import Story
from bot.texts import shortened
from loop import Ask, Result
from recordings import Match, RecordingUnreadable, RunRow, Runs, RunUnknown

__all__ = [
    "find_run",
    "json_option",
    "limit_option",
    "requesters_option",
    "say",
    "say_summary",
    "setting_option",
    "settings_options",
    "settings_with",
    "shown_damage",
    "to_type",
]

Command = Callable[..., int]
_NOT_UTF8: Final = re.compile("[\ud800-\udfff]")
_SHOWN: Final = 3
"""Damaged lines that are named one by one."""


def settings_options(*names: str) -> Callable[[Command], Command]:
    """Give a command options over these settings, and the outcome as its ``settings``."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_settings(**given: Any) -> int:
            _check_utf8(given)
            options = {name: given.pop(name) for name in names}
            return command(settings=settings_with(options), **given)

        decorated: Command = with_settings
        for name in reversed(names):
            decorated = _OPTIONS[name](decorated)
        return decorated

    return decorate


def _pairs(
    context: click.Context, option: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """Read options of the form ``name=value``, each name once."""
    read: dict[str, str] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not (equals and name.strip() and text.strip()):
            raise click.BadParameter("is name=value, such as max_steps=4", context, option)
        if name.strip() in read:
            raise click.BadParameter(f"gives {name.strip()} twice", context, option)
        read[name.strip()] = text.strip()
    return read


def limit_option(told: str) -> Callable[[Command], Command]:
    """Give a command ``--limit NAME=VALUE``, which may be repeated, as its ``limits`` by name."""
    return click.option(
        "--limit", "limits", multiple=True, metavar="NAME=VALUE", callback=_pairs, help=told
    )


def to_type(line: str, *accepted: str) -> str:
    """Return a command to type next, with those options of this one that it needs as well.

    ``accepted`` names the settings that the next command takes. What the environment or a file
    gives holds for the next command too, so only what was typed is added.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return line
    typed = [
        f"--{name} {shlex.quote(str(context.params[name]))}"
        for name in accepted
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    return " ".join((line, *typed))


json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object, nothing else.")

requesters_option = click.option(
    "--requested-by",
    "requesters",
    multiple=True,
    metavar="USER",
    help="A user who asked for the run, and so does not sign what it proposes. May be repeated.",
)


def say_summary(story: Story) -> None:
    """Print the line that says it all, coloured by its result where a terminal shows it."""
    click.secho(story.summary(), fg=_colour(story.result), bold=True)


def say(lines: Iterable[str]) -> None:
    """Print lines to the reader."""
    for line in lines:
        click.echo(line)


def shown_damage(damaged: Sequence[RecordingUnreadable]) -> None:
    """Name lines that could not be read, on stderr; what could be read is used."""
    for fault in damaged[:_SHOWN]:
        click.echo(f"warning: {shortened(str(fault), 300)}", err=True)
    if len(damaged) > _SHOWN:
        click.echo(f"warning: {len(damaged) - _SHOWN} more lines cannot be read", err=True)


def find_run(runs: Runs, name: str) -> RunRow:
    """Return the run of this id, or the newest run of the ticket of this id.

    Raises:
        RunNotFound: there is neither.
    """
    try:
        return runs.get(name)
    except RunUnknown:
        of_ticket = runs.of_ticket(name)
    if not of_ticket:
        shown = shortened(name, 60)
        raise RunNotFound(
            f"there is no run {shown}, and no run of a ticket {shown}",
            hint="handrail runs lists them",
        )
    return of_ticket[-1]


def _colour(result: Result | None) -> str | None:
    match result:
        case Result.VALID:
            return "green"
        case Result.REJECTED:
            return "yellow"
        case Result.FAILED:
            return "red"
        case None:
            return None
        case _:
            assert_never(result)


def setting_option(name: str) -> Callable[[Command], Command]:
    """Return the option over one setting, for a command that reads its settings by itself."""
    return _OPTIONS[name]


def settings_with(options: Mapping[str, Any]) -> Settings:
    """Return the settings, with the options that were given over them.

    Raises:
        SettingRefused: a file or a value cannot be read.
        PolicyRefused: the approvals table is wrong.
    """
    words = {"ask": Ask, "match": Match}
    given = {
        name: words[name](value) if name in words else value
        for name, value in options.items()
        if value is not None
    }
    return load_settings().model_copy(update=given)


def _check_utf8(given: Mapping[str, Any]) -> None:
    """Refuse words that are no text. The bytes of a path may be any.

    Raises:
        click.UsageError: an argument holds bytes that are not UTF-8.
    """
    for name, value in given.items():
        words = value if isinstance(value, tuple) else (value,)
        for word in (*words, *(value.values() if isinstance(value, dict) else ())):
            if isinstance(word, str) and not word.isascii() and _NOT_UTF8.search(word):
                raise click.UsageError(
                    f"{name.removesuffix('_id').upper()} is not UTF-8 text",
                    click.get_current_context(),
                )


class _PathOrNothing(click.Path):
    """A path; an empty one is refused: it would mean the working directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("is empty; name a path, or leave it out", param, ctx)
        return super().convert(value, param, ctx)


def _day(context: click.Context, option: click.Parameter, value: str | None) -> date | None:
    if value is None:
        return None
    try:
        return read_day(value)
    except ValueError as error:
        raise click.BadParameter(str(error), context, option) from None


_FILE: Final = _PathOrNothing(path_type=Path)
_OPTIONS: Final = {
    "profile": click.option("--profile", metavar="NAME", help="resolver, assistant or desk."),
    "model": click.option(
        "--model",
        metavar="NAME",
        help="The model that is asked or replayed, by its name in the settings.",
    ),
    "ask": click.option(
        "--ask",
        type=click.Choice([ask.value for ask in Ask]),
        help="How the model is asked; json is for models without tool calling.",
    ),
    "data": click.option(
        "--data", type=_FILE, metavar="DIR", help="A folder of tickets and shop data."
    ),
    "recordings": click.option(
        "--recordings",
        type=_FILE,
        metavar="PATH",
        help="Recorded replies: a .jsonl file, or a folder of them.",
    ),
    "live": click.option(
        "--live/--recorded",
        default=None,
        help="Ask the model's server, or replay recorded replies.",
    ),
    "record": click.option(
        "--record", type=_FILE, metavar="DIR", help="Keep each run that ended as a recording."
    ),
    "match": click.option(
        "--match",
        type=click.Choice([match.value for match in Match]),
        help="How a recorded reply is found: by exactly this request, or by ticket and step.",
    ),
    "today": click.option(
        "--today", metavar="DAY", callback=_day, help="The day that the run assumes."
    ),
    "store": click.option(
        "--store", type=_FILE, metavar="FILE", help="The file that keeps runs and proposals."
    ),
}
"""One option for each setting that a command may be given."""
