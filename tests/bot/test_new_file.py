"""A new file is there whole, or not at all."""

from __future__ import annotations

import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import BotError
from bot.new_file import write_new

ROOT = Path(__file__).resolve().parents[2]


def test_it_is_private_and_holds_the_bytes_that_were_read(tmp_path: Path) -> None:
    write_new(tmp_path / "new", "é \udcff\n")

    assert (tmp_path / "new").read_bytes() == "é ".encode() + b"\xff\n"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_what_exists_stays_also_a_link_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old", "utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "nothing")

    for name in ("old", "link"):
        with pytest.raises(BotError, match="nothing is overwritten"):
            write_new(tmp_path / name, "new")

    assert (tmp_path / "old").read_text("utf-8") == "old"
    assert not (tmp_path / "nothing").exists()


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    def small_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    code = (
        "import sys\nfrom pathlib import Path\nfrom bot.errors import BotError\n"
        "from bot.new_file import write_new\n"
        "try:\n    write_new(Path('new'), 'x' * 100_000)\n"
        "except BotError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        preexec_fn=small_disk,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "new cannot be written: File too large\n"
    assert list(tmp_path.iterdir()) == []
