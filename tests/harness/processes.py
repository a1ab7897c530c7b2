"""Other processes: a script or a module, its arguments, its printed lines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a Python script that can import the checkout; its output is piped."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", script, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def module(name: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a module of the checkout as a program; what it says of errors is shown at once."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", name, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def result(process: subprocess.Popen[str]) -> str:
    """Wait for a script and return what it printed; its own error fails the test."""
    out, err = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, err
    return out.strip()


def line(process: subprocess.Popen[str]) -> str:
    """Return the next line that a script prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill(process: subprocess.Popen[str]) -> None:
    """End a script with SIGKILL and wait for that."""
    process.kill()
    process.communicate(timeout=LIMIT_S)
