"""The generated parts of the docs: ``make docs`` writes them, a test finds them stale.

A generated part lies between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot.cli import handrail
from bot.model_settings import ModelSettings
from bot.places import variable_of
from bot.settings import TABLES, Settings
from bot.shop_settings import RefundSettings, ShopSettings
from bot.slack.settings import SlackSettings
from loop import LIMIT_NAMES, PROFILES

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"
WIDTH: Final = 80


def commands() -> str:
    """Return the help of every command."""
    return "\n\n".join(_helps())


def settings() -> str:
    """Return the table of settings that have a variable."""
    rows = [
        (f"`{variable_of(name)}`", f"`{_field(name)}`", _default(name), field.description or "")
        for name, field in Settings.model_fields.items()
        if name == "shop" or name not in TABLES
    ]
    return _table(("variable", "in `handrail.toml`", "default", "what it is"), rows)


def limits() -> str:
    """Return the table of limits, with the value that each profile gives them."""
    rows = [
        (
            f"`{variable_of(name)}`",
            f"`limits.{name}`",
            *(_plain(profile.limits.as_dict()[name]) for profile in PROFILES.values()),
        )
        for name in LIMIT_NAMES
    ]
    return _table(("variable", "in `handrail.toml`", *PROFILES), rows)


def models() -> str:
    """Return the table of the fields of ``[models.NAME]``."""
    return _fields("models.NAME", ModelSettings)


def shop() -> str:
    """Return the table of the fields of ``[shop]``."""
    return _fields("shop", ShopSettings)


def refunds() -> str:
    """Return the table of the fields of ``[refunds]``."""
    return _fields("refunds", RefundSettings)


def slack() -> str:
    """Return the table of the fields of ``[slack]``."""
    return _fields("slack", SlackSettings)


GENERATED: Final[Mapping[str, Mapping[str, Callable[[], str]]]] = {
    "command_line.md": {"commands": commands},
    "settings.md": {
        "settings": settings,
        "limits": limits,
        "models": models,
        "shop": shop,
        "refunds": refunds,
        "slack": slack,
    },
}


def renewed(file: str) -> str:
    """Return a page with its generated parts as they should be."""
    text = (DOCS / file).read_text(encoding="utf-8")
    for name, make in GENERATED[file].items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(f"docs/{file} must hold {begin} and {end} once each")
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}\n\n{make()}\n\n{end}{rest.partition(end)[2]}"
    return text


def paths(
    command: click.Command = handrail, path: str = "handrail"
) -> Iterator[tuple[str, click.Command]]:
    """Yield every command with what one types for it, a group before its own."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            each = command.get_command(context, name)
            assert each is not None
            yield from paths(each, f"{path} {name}")


def _helps() -> Iterator[str]:
    yield from (_help(command, path) for path, command in paths())


def _help(command: click.Command, path: str) -> str:
    context = click.Context(
        command, info_name=path, terminal_width=WIDTH, **command.context_settings
    )
    if command is not handrail:
        context.help_option_names = ["-h", "--help"]
    return f"## {path}\n\n```text\n{command.get_help(context).strip()}\n```"


def _field(name: str) -> str:
    return "shop.kind" if name == "shop" else name


def _fields(table: str, model: type[BaseModel]) -> str:
    rows = [
        (f"`{table}.{name}`", _field_default(field), field.description or "")
        for name, field in model.model_fields.items()
    ]
    return _table(("in `handrail.toml`", "default", "what it is"), rows)


def _field_default(field: FieldInfo) -> str:
    return "none" if field.default_factory is not None else _plain(field.default)


def _default(name: str) -> str:
    if name == "store":
        return "`handrail/handrail.sqlite3` in `$XDG_DATA_HOME`, else in `~/.local/share`"
    if name == "shop":
        return _plain(ShopSettings().kind)
    return _plain(Settings.model_fields[name].default)


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    return f"`{value.value if isinstance(value, Enum) else value}`"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def main() -> None:
    """Write the generated parts."""
    for file in GENERATED:
        (DOCS / file).write_text(renewed(file), encoding="utf-8")


if __name__ == "__main__":
    main()
