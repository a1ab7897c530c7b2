"""One process serves a store, and a fork does not make it two."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path

import pytest

from approvals import LockHeld, StoreUnusable
from approvals.store import ServeLock, connect
from tests.harness.processes import kill, line, result, start

HOLD = """
import sys
from approvals.store import ServeLock
with ServeLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_holder_is_named(path: Path) -> None:
    process = start(HOLD, path)
    assert line(process) == "held"
    lock = ServeLock(path)

    assert not lock.try_acquire()
    with pytest.raises(LockHeld, match=f"is served by process {process.pid}; stop it") as caught:
        lock.acquire()

    assert caught.value.pid == process.pid
    assert not lock.held
    result(process)
    assert lock.try_acquire()
    assert lock.holder() == os.getpid()
    lock.release()


def test_a_killed_holder_leaves_the_lock_free(path: Path) -> None:
    process = start(HOLD, path)
    assert line(process) == "held"
    kill(process)

    lock = ServeLock(path)
    with lock:
        inside = (lock.held, lock.holder())

    assert inside == (True, os.getpid())
    assert (lock.held, lock.holder()) == (False, None)


def test_two_locks_of_one_process_exclude_each_other(path: Path) -> None:
    with ServeLock(path) as first:
        second = ServeLock(path)
        assert not second.try_acquire()
        second.release()  # not its own: does nothing
        assert first.held
        assert first.try_acquire()
        assert not second.try_acquire()


def test_the_lock_does_not_keep_others_from_the_store(path: Path) -> None:
    with ServeLock(path), connect(path):
        assert stat.S_IMODE(Path(f"{path}.lock").stat().st_mode) == 0o600


def test_an_unreadable_pid_is_another_process(path: Path) -> None:
    lock = ServeLock(path)
    Path(f"{path}.lock").write_bytes(b"\xff12\n")

    assert lock.holder() is None
    assert "another process" in str(LockHeld("store.db", lock.holder()))


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="cannot be opened"):
        ServeLock(tmp_path / "absent" / "store.db").acquire()


CHILD = """
import os, sys
from approvals import LockHeld
from approvals.store import ServeLock
lock = ServeLock(sys.argv[1])
lock.acquire()
child = os.fork()
if child == 0:
    print(lock.held, lock.try_acquire(), flush=True)
    lock.release()
    os._exit(0)
os.waitpid(child, 0)
print(lock.held, ServeLock(sys.argv[1]).try_acquire(), flush=True)
"""


def test_a_forked_child_does_not_hold_the_lock_and_cannot_let_it_go(path: Path) -> None:
    assert result(start(CHILD, path)).splitlines() == ["False False", "True False"]


BARE_CHILD = """
import ctypes, os, sys
from approvals.store import ServeLock
lock = ServeLock(sys.argv[1])
lock.acquire()
child = ctypes.CDLL(None).fork()
if child == 0:
    os.write(1, f"{lock.held} {lock.try_acquire()}".encode())
    lock.release()
    os._exit(0)
os.waitpid(child, 0)
print("", lock.held, ServeLock(sys.argv[1]).try_acquire(), flush=True)
"""


def test_a_child_that_was_forked_behind_pythons_back_does_not_hold_it_either(path: Path) -> None:
    assert result(start(BARE_CHILD, path)) == "False False True False"


ORPHAN = """
import os, sys
from approvals.store import ServeLock
lock = ServeLock(sys.argv[1])
lock.acquire()
if os.fork() == 0:
    print(os.getpid(), flush=True)  # by the child, which has dropped its copy by now
    sys.stdin.read()
    os._exit(0)
sys.stdin.read()
"""


def test_a_child_that_outlives_the_holder_does_not_keep_the_lock(path: Path) -> None:
    process = start(ORPHAN, path)
    child = int(line(process))
    os.kill(process.pid, signal.SIGKILL)
    process.wait(30)
    try:
        os.kill(child, 0)  # it is still there
        assert ServeLock(path).try_acquire()
    finally:
        os.kill(child, signal.SIGKILL)
        process.communicate()


def test_a_store_reached_by_a_link_has_the_same_lock(path: Path, tmp_path: Path) -> None:
    """Two names of one file are one store, and one process serves it."""
    path.touch()
    alias = tmp_path / "elsewhere" / "alias.sqlite3"
    alias.parent.mkdir()
    alias.symlink_to(path)

    with ServeLock(path):
        assert not ServeLock(alias).try_acquire()
