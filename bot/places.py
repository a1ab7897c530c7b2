"""Where each setting stands: for messages that name a file and a line, never a value."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from bot.errors import SettingRefused

__all__ = ["DOTENV", "PREFIX", "TOML", "Places", "environment", "meant", "variable_of"]

PREFIX: Final = "HANDRAIL_"
DOTENV: Final = ".env"
TOML: Final = "handrail.toml"


def variable_of(name: str) -> str:
    """Return the environment variable of a setting or a limit."""
    return f"{PREFIX}{name.upper()}"


def environment() -> Mapping[str, str]:
    """Return the environment with the ``.env`` file below it. For secrets, which settings hold not.

    Raises:
        SettingRefused: the file cannot be read.
    """
    below = dotenv_values(DOTENV) if _is_there(Path(DOTENV)) else {}
    return {**{name: value for name, value in below.items() if value}, **os.environ}


def meant(name: str, known: Iterable[str]) -> str:
    """Return a hint: the nearest of the names that there are, or all of them."""
    names = sorted(known)
    close = get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else f"there are: {', '.join(names)}"


class Places:
    """Where each setting stands, for messages."""

    def __init__(self, variables: Iterable[str], dotenv: Mapping[str, int]) -> None:
        self._variables = {name.upper() for name in variables}
        self._dotenv = dotenv

    @classmethod
    def read(cls) -> Places:
        """Read both files as far as needed to say where something stands.

        Raises:
            SettingRefused: a file cannot be read or is malformed.
        """
        given = [name for name, value in os.environ.items() if value]
        _check_toml(Path(TOML))
        return cls(given, _dotenv_lines(Path(DOTENV)))

    def check_names(self, settings: Iterable[str]) -> None:
        """Refuse a name with our prefix that is no setting: it would not do what it says.

        Raises:
            SettingRefused: naming the place, with the nearest name as a hint.
        """
        known = {variable_of(name) for name in settings}
        for name in sorted((self._variables | set(self._dotenv)) - known):
            if name.startswith(PREFIX):
                raise SettingRefused(
                    self._place_of(name), "there is no such setting", hint=meant(name, known)
                )

    def of(self, path: tuple[str, ...]) -> str:
        """Return the place of a setting: the variable that gives it, else the TOML field."""
        field = path[-1] if path[0] == "limits" and len(path) > 1 else path[0]
        name = variable_of(field)
        if name in self._variables or name in self._dotenv:
            return self._place_of(name)
        return f"{TOML}, field {'.'.join(path)}"

    def _place_of(self, variable: str) -> str:
        if variable in self._variables:
            return f"environment variable {variable}"
        return f"{DOTENV}, line {self._dotenv[variable]}, {variable}"


def _dotenv_lines(path: Path) -> dict[str, int]:
    """Return the line of each name in a ``.env``, a later one in place of an earlier."""
    if not _is_there(path):
        return {}
    found: dict[str, int] = {}
    try:
        with path.open(encoding="utf-8") as stream:
            for binding in parse_stream(stream):
                text = binding.original.string
                blank = len(text) - len(text.lstrip())  # empty lines count as the binding's own
                line = binding.original.line + text[:blank].count("\n")
                if binding.error:
                    raise SettingRefused(f"{DOTENV}, line {line}", "is not NAME=value")
                if binding.key is not None:
                    found[binding.key.upper()] = line
    except (OSError, UnicodeDecodeError) as error:
        raise SettingRefused(DOTENV, f"cannot be read: {_file_fault(error)}") from None
    return found


def _check_toml(path: Path) -> None:
    if not _is_there(path):
        return
    try:
        tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SettingRefused(TOML, f"is not TOML: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingRefused(TOML, f"cannot be read: {_file_fault(error)}") from None


def _is_there(path: Path) -> bool:
    """Whether there is a settings file; what has its name and is no file would be left unread.

    Raises:
        SettingRefused: it is a folder, a link to nothing, or cannot be looked at.
    """
    try:
        if not os.path.lexists(path):
            return False
        found = path.stat()
    except OSError as error:
        raise SettingRefused(str(path), f"cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(found.st_mode):
        raise SettingRefused(str(path), "is not a file", hint="rename or remove it")
    return True


def _file_fault(error: OSError | UnicodeDecodeError) -> str:
    return "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error.strerror)
