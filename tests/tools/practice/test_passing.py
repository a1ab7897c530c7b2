"""Folders of practice shops that pass go with their process, or are cleared away after it."""

from __future__ import annotations

import os
from pathlib import Path

from tools.practice.passing import LOCK, PREFIX, PassingFolder, clear_stale

LATER = 10_000.0


def left_behind(parent: Path, name: str = "dead") -> Path:
    folder = parent / f"{PREFIX}{name}"
    folder.mkdir()
    (folder / LOCK).touch()
    (folder / "practice.db").touch()
    os.utime(folder, (0, 0))
    return folder


def test_what_a_dead_process_left_is_cleared(tmp_path: Path) -> None:
    left_behind(tmp_path)
    (left_behind(tmp_path, "died-before-its-lock") / LOCK).unlink()
    os.utime(tmp_path / f"{PREFIX}died-before-its-lock", (0, 0))

    clear_stale(tmp_path, now_s=LATER)

    assert list(tmp_path.iterdir()) == []


def test_what_is_held_or_young_or_not_ours_stays(tmp_path: Path) -> None:
    young = left_behind(tmp_path, "young")
    os.utime(young, (LATER - 60, LATER - 60))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    (tmp_path / f"{PREFIX}file").touch()
    os.utime(elsewhere, (0, 0))
    held = PassingFolder.make()
    try:
        os.utime(held.path, (0, 0))
        clear_stale(held.path.parent, now_s=LATER)
        clear_stale(tmp_path, now_s=LATER)

        assert held.path.is_dir()
        assert len(list(tmp_path.iterdir())) == 4
    finally:
        held.close()

    assert not held.path.exists()


def test_folders_of_one_kind_are_not_those_of_another(tmp_path: Path) -> None:
    left_behind(tmp_path)

    clear_stale(tmp_path, "handrail-other-", now_s=LATER)
    other = PassingFolder.make("handrail-other-")
    other.close()

    assert other.path.name.startswith("handrail-other-")
    assert [each.name for each in tmp_path.iterdir()] == [f"{PREFIX}dead"]
