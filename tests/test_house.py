"""The house: its rooms, its version, what its files may hold, and the wall around the tests."""

from __future__ import annotations

import ast
import os
import re
import socket
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.network import NetworkRefused, is_local

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("approvals", "bot", "loop", "recordings", "tools")
MADE = {"__pycache__", "build", "dist", "htmlcov", ".coverage", ".git"}
"""What tools make. Folders that begin with a dot are not ours either, but for ``.ci``."""
TEXT = set(".cfg .css .csv .html .js .json .jsonl .md .py .sql .svg .toml .txt .yaml .yml".split())
LONGEST_FILE = 600
"""Lines of one package file."""


def our_folders(folder: Path = ROOT) -> Iterator[Path]:
    """Yield the folders that we write, the checkout first."""
    yield folder
    for child in sorted(folder.iterdir()):
        hidden = child.name.startswith(".") and child.name != ".ci"
        if child.is_dir() and not hidden and child.name not in MADE:
            yield from our_folders(child)


def text_files() -> list[Path]:
    """Return the text files that we write."""
    return [
        file
        for folder in our_folders()
        for file in sorted(folder.iterdir())
        if file.is_file() and file.name not in MADE and (file.suffix in TEXT or not file.suffix)
    ]


def package_files() -> list[Path]:
    """Return the Python files of the five packages."""
    return [file for name in PACKAGES for file in sorted((ROOT / name).rglob("*.py"))]


def lines_that_match(pattern: re.Pattern[str]) -> list[str]:
    """Return file and line of each match in a text file of ours."""
    return [
        f"{file.relative_to(ROOT)}, line {number}"
        for file in text_files()
        for number, line in enumerate(file.read_text("utf-8", "replace").splitlines(), start=1)
        if pattern.search(line)
    ]


def called(tree: ast.AST) -> set[str]:
    """Return the dotted names of what a module calls."""
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def imported(tree: ast.AST) -> set[str]:
    """Return the top-level modules that a module imports."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found |= {alias.name.partition(".")[0] for alias in names}
            case ast.ImportFrom(module=str(module)):
                found.add(module.partition(".")[0])
            case _:
                pass
    return found


def opens(tree: ast.AST, openers: set[str]) -> bool:
    """Whether a module that imports SQLite calls one of the openers; the store's own is none."""
    ours = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "approvals.store"
        for alias in node.names
    }
    return bool(imported(tree) & {"sqlite3", "sqlite_utils"}) and bool(
        called(tree) & (openers - ours)
    )


def test_code_lies_in_the_five_packages_and_the_tests_alone() -> None:
    with_code = {
        file.relative_to(ROOT).parts[0] for folder in our_folders() for file in folder.glob("*.py")
    }

    assert with_code == {*PACKAGES, "tests"}


def test_every_package_is_marked_as_typed() -> None:
    assert [name for name in PACKAGES if not (ROOT / name / "py.typed").is_file()] == []


def test_the_version_is_the_newest_entry_of_the_changelog() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    entries = re.findall(
        r"^## \[([^]]+)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )

    assert project["version"] == entries[0]


def test_every_library_is_pinned_and_the_pins_hold_no_address() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    asked = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(line for extra in project["project"]["optional-dependencies"].values() for line in extra),
    ]
    names = {re.split(r"[<>=!~\[; ]", line)[0].replace("_", "-").lower() for line in asked}
    pins = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = {pin.partition("==")[0].replace("_", "-").lower() for pin in pins}

    assert names <= pinned
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []


@pytest.mark.parametrize("store", ["handrail.sqlite3", "mine.sqlite", "shop.db"])
@pytest.mark.parametrize("end", ["", "-wal", "-shm", ".lock", ".before-20261009T101500Z"])
def test_a_store_in_the_checkout_is_never_committed(store: str, end: str) -> None:
    patterns = (ROOT / ".gitignore").read_text("utf-8").splitlines()

    assert [each for each in patterns if fnmatch(f"{store}{end}", each)] != []


def test_no_file_names_a_registry() -> None:
    hosts = [("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("debian", "org")]
    pattern = re.compile("|".join(rf"\b{name}\.{end}\b" for name, end in hosts))

    assert lines_that_match(pattern) == []


def test_no_file_holds_a_path_of_one_machine() -> None:
    pattern = re.compile(r"(?<![\w.$}/-])/(?:work|tmp|root|home)\b")

    assert lines_that_match(pattern) == []


def test_no_file_of_a_package_is_too_long() -> None:
    lengths = {
        str(file.relative_to(ROOT)): len(file.read_text("utf-8").splitlines())
        for file in package_files()
    }

    assert {file: lines for file, lines in lengths.items() if lines > LONGEST_FILE} == {}


def test_sqlite_is_opened_by_the_store_and_the_practice_shop_alone() -> None:
    openers = {"sqlite3.connect", "connect", "sqlite3.Connection"}
    openers |= {"sqlite_utils.Database", "Database"}
    places = (ROOT / "approvals" / "store", ROOT / "tools" / "practice")
    elsewhere = [
        str(file.relative_to(ROOT))
        for file in package_files()
        if not any(file.is_relative_to(place) for place in places)
        and opens(ast.parse(file.read_text("utf-8")), openers)
    ]

    assert elsewhere == []


def test_httpx_is_used_in_one_module_of_tools_and_one_of_loop_at_most() -> None:
    users = [
        file.relative_to(ROOT).parts[0]
        for file in package_files()
        if "httpx" in imported(ast.parse(file.read_text("utf-8")))
    ]

    assert users in ([], ["loop"], ["tools"], ["loop", "tools"])


@pytest.mark.parametrize("host", ["192.0.2.1", "0.0.0.0", "::ffff:192.0.2.1", "example.org", b"a"])
def test_another_machine_is_not_local(host: object) -> None:
    assert not is_local(host)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", b"127.0.0.1", "", None]
)
def test_loopback_is_local(host: object) -> None:
    assert is_local(host)


def test_no_test_reaches_another_machine() -> None:
    with socket.socket() as there, pytest.raises(NetworkRefused, match=r"192\.0\.2\.1"):
        there.connect(("192.0.2.1", 443))


def test_no_test_sends_a_datagram_to_another_machine() -> None:
    with (
        socket.socket(type=socket.SOCK_DGRAM) as there,
        pytest.raises(NetworkRefused, match=r"192\.0\.2\.1"),
    ):
        there.sendto(b"", ("192.0.2.1", 53))


def test_no_test_looks_up_a_name() -> None:
    with pytest.raises(NetworkRefused, match=r"example\.org"):
        socket.getaddrinfo("example.org", 443)


def test_loopback_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            client.sendall(b"x")
        answered, _ = server.accept()
        with answered:
            assert answered.recv(1) == b"x"


def test_no_setting_comes_from_outside() -> None:
    assert [name for name in os.environ if name.startswith("HANDRAIL_")] == []
