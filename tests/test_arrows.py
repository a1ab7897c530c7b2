"""The floors: what may import what, and through which door."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    "tools",
    "approvals.store",
    "approvals",
    "loop",
    "recordings",
    "recordings.explore",
    "bot",
)
"""From the lowest to the highest. The store is a floor of its own inside approvals, and so are
what-ifs inside recordings."""
STRANGERS = ({"loop", "approvals"}, {"loop", "approvals.store"})
SHARED = "approvals.errors"
"""The one error tree of a package, open to both of its floors."""
PACKAGES = tuple(floor for floor in FLOORS if "." not in floor)


def floor_of(module: str) -> str | None:
    """Return the floor that a module belongs to; None if it is not ours."""
    inside = [floor for floor in FLOORS if f"{module}.".startswith(f"{floor}.")]
    return max(inside, key=len, default=None)


def objection(importer: str, module: str, name: str | None) -> str | None:
    """Return what is wrong with one import (name is None for ``import module``), or None."""
    home, target = floor_of(importer), floor_of(module)
    if module.startswith("."):
        return "a relative import"
    if module.partition(".")[0] == "tests":
        return "a package imports the tests"
    if home is None or target is None:
        return None
    if home == target or (module == SHARED and home == "approvals.store"):
        own_door = module == target and not is_module(f"{target}.{name}")
        return "a floor imports its own door" if own_door else None
    if {home, target} in STRANGERS:
        return f"{home} and {target} do not know each other"
    if FLOORS.index(target) > FLOORS.index(home):
        return f"{target} lies above {home}"
    if module != target or name is None or name not in declared(door(target)):
        return f"not through the door of {target}"
    return None


def is_module(name: str) -> bool:
    """Whether a dotted name is a module or a package of ours."""
    place = ROOT.joinpath(*name.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def objections(importer: str, source: str) -> list[str]:
    """Return every objection to the imports of a module, each with its line."""
    found = (
        (line, module, objection(importer, module, name))
        for line, module, name in imports(ast.parse(source))
    )
    return [f"{importer}, line {line}: {module}: {why}" for line, module, why in found if why]


def imports(tree: ast.Module) -> Iterator[tuple[int, str, str | None]]:
    """Yield line, module and name of each import, wherever in the module it stands."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name, None) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                start = "." * level + (module or "")
                yield from ((node.lineno, start, alias.name) for alias in names)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                yield node.lineno, module, None
            case _:
                pass


def declared(tree: ast.Module) -> list[str]:
    """Return the literal ``__all__`` of a module."""
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=items))
                | ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.List(elts=items))
            ):
                return [str(ast.literal_eval(item)) for item in items]
            case _:
                pass
    return []


def door(floor: str) -> ast.Module:
    """Return the parsed ``__init__`` of a floor."""
    file = ROOT.joinpath(*floor.split("."), "__init__.py")
    return ast.parse(file.read_text("utf-8"))


def order(name: str) -> tuple[int, str]:
    """Sort as ruff's RUF022 does: constants, then classes, then functions."""
    group = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return group, name


def modules() -> Iterator[tuple[str, Path]]:
    """Yield the dotted name and the file of each module of ours."""
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


MODULES = list(modules())


@pytest.mark.parametrize(("module", "file"), MODULES, ids=[name for name, _ in MODULES])
def test_a_module_imports_only_what_lies_below_it_and_through_doors(
    module: str, file: Path
) -> None:
    assert objections(module, file.read_text("utf-8")) == []


@pytest.mark.parametrize("floor", FLOORS)
def test_a_door_declares_what_it_imports_sorted_and_all_of_it_exists(floor: str) -> None:
    tree = door(floor)
    names = declared(tree)
    imported = {name for _, module, name in imports(tree) if floor_of(module) is not None}

    assert names == sorted(set(names), key=order)
    assert imported <= set(names)
    assert [name for name in names if not hasattr(importlib.import_module(floor), name)] == []
    assert ast.get_docstring(tree)


@pytest.mark.parametrize(
    ("importer", "source", "why"),
    [
        ("tools.money", "from loop import Reply", "loop lies above tools"),
        ("tools.money", "import bot.cli", "bot lies above tools"),
        ("loop.run", "from approvals import Proposal", "loop and approvals do not know"),
        ("approvals.states", "from loop import Stop", "approvals and loop do not know"),
        ("loop.run", "from approvals.store import tx", "loop and approvals.store do not know"),
        ("approvals.store.tx", "from approvals.states import X", "approvals lies above"),
        ("loop.run", "from tools.money import Money", "not through the door of tools"),
        ("loop.run", "import tools", "not through the door of tools"),
        ("loop.run", "from tools import NoSuchName", "not through the door of tools"),
        ("approvals.states", "from approvals.store.tx import tx", "not through the door"),
        ("recordings.rows", "from approvals import store", "not through the door of approvals"),
        ("tools.money", "from tools import Money", "a floor imports its own door"),
        ("tools.money", "from .errors import MoneyError", "a relative import"),
        ("tools.money", "from tests.network import is_local", "a package imports the tests"),
        ("tools.money", "def f():\n    import bot", "bot lies above tools"),
        ("tools.money", "import_module('loop.rules')", "loop lies above tools"),
        ("tools.money", "importlib.import_module('loop')", "loop lies above tools"),
    ],
)
def test_a_wrong_import_is_named(importer: str, source: str, why: str) -> None:
    (found,) = objections(importer, source)

    assert why in found


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        ("tools", "from tools.money import Money"),
        ("tools.canonical", "from tools.errors import JsonRefused"),
        ("tools.canonical", "from tools import errors"),
        ("approvals.store.tx", "from approvals.errors import X"),
        ("approvals.states", "from approvals.errors import X"),
        ("loop.gates.schema", "from loop.gates.words import X\nfrom loop.rules import Stop"),
        ("loop.run", "from tools import Money\nimport json\nfrom toolsmith import x"),
        ("bot.cli", "from tools import Money, canonical"),
    ],
)
def test_a_right_import_is_let_through(importer: str, source: str) -> None:
    assert objections(importer, source) == []
