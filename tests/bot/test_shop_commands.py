"""The practice shop that lasts: its file, its data, ``shop reset`` and ``shop serve``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bot.approving import Counter
from tools import SHIPPED_DATA

ROOT = Path(__file__).resolve().parents[2]


def other_data(counter: Counter) -> Path:
    """Return the shipped data with one product out of stock."""
    folder = counter.home / "data"
    shutil.copytree(SHIPPED_DATA, folder)
    products = folder / "products.csv"
    products.write_text(products.read_text("utf-8").replace(",249.00,8,", ",249.00,0,"), "utf-8")
    return folder


def test_b96_a_fresh_shop_has_no_changes(counter: Counter) -> None:
    assert counter.cli("changes").stdout == "0 changes\n"
    assert counter.shop_file.stat().st_mode & 0o777 == 0o600


def test_changes_last_from_one_command_to_the_next_and_end_with_a_reset(counter: Counter) -> None:
    counter.approve(counter.propose())
    lasting = counter.cli("changes").stdout
    reset = counter.cli("shop", "reset")

    assert lasting.endswith("1 change\n")
    assert reset.exit_code == 0
    assert counter.cli("changes").stdout == "0 changes\n"


def test_a_run_reads_what_was_changed(counter: Counter) -> None:
    """The recorded reply was made before the refund, and says so by no longer fitting."""
    counter.approve(counter.propose())
    done = counter.cli("run", "T-64872")

    assert done.exit_code == 1
    assert "no recorded reply fits" in " ".join(done.stdout.split())
    assert counter.cli("run", "T-64872", "--no-store").exit_code == 0


def test_an_untouched_shop_follows_the_data(counter: Counter) -> None:
    counter.propose()
    done = counter.cli("run", "T-64872", "--data", other_data(counter))

    assert done.exit_code == 0
    assert counter.changes() == ()


def test_a_shop_with_changes_is_not_thrown_away_for_other_data(counter: Counter) -> None:
    counter.approve(counter.propose())
    data = other_data(counter)
    refused = counter.cli("run", "T-64872", "--data", data)
    kept = counter.cli("run", "T-64872", "--data", data, "--no-store")

    assert refused.exit_code == 2
    assert "was built from other data and holds changes" in refused.stderr
    assert kept.exit_code == 0
    assert len(counter.changes()) == 1
    assert counter.cli("shop", "reset", "--data", data).exit_code == 0
    assert counter.cli("run", "T-64872", "--data", data).exit_code == 0


def test_the_shops_file_may_lie_elsewhere(counter: Counter) -> None:
    done = counter.cli("changes", HANDRAIL_SHOP_FILE=str(counter.home / "own" / "shop.sqlite3"))

    assert done.exit_code == 0
    assert (counter.home / "own" / "shop.sqlite3").exists()
    assert not counter.shop_file.exists()


def test_a_file_that_is_no_shop_is_refused(counter: Counter) -> None:
    counter.shop_file.parent.mkdir()
    counter.shop_file.write_text("not a shop" * 500)
    done = counter.cli("changes")

    assert done.exit_code == 2
    assert "is not a practice shop" in done.stderr


@pytest.mark.parametrize("args", [["shop", "reset"], ["shop", "serve"]])
def test_only_the_practice_shop_is_reset_or_served(counter: Counter, args: list[str]) -> None:
    done = counter.cli(*args, HANDRAIL_SHOP="elsewhere")

    assert done.exit_code == 2
    assert "the shop is elsewhere, not the practice shop" in done.stderr


def test_an_address_that_is_not_this_machines_is_refused(counter: Counter) -> None:
    done = counter.cli("shop", "serve", "--host", "192.0.2.1")

    assert done.exit_code == 2
    assert "is not a loopback address" in done.stderr


@contextmanager
def served(counter: Counter, *args: str, **env: str) -> Iterator[str]:
    """Serve the shop in a process of its own and give its address."""
    command = [sys.executable, "-m", "bot", "shop", "serve", "--port", "0", *args]
    process = subprocess.Popen(
        command,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
            "HANDRAIL_STORE": str(counter.store),
            **env,
        },
        cwd=counter.home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_the_served_shop_asks_for_its_token_and_shares_the_file(counter: Counter) -> None:
    counter.approve(counter.propose())
    with served(counter, SHOP_TOKEN="made-up") as url:
        address = f"{url}/practice/changes"
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(address)
        refused.value.close()
        request = urllib.request.Request(address, headers={"Authorization": "Bearer made-up"})
        with urllib.request.urlopen(request) as answer:
            found = json.load(answer)

    assert refused.value.code == 403
    assert [change["order_id"] for change in found["changes"]] == ["LK-739156"]


def test_b93_a_fault_by_switch_over_http_is_survived_by_another_process(
    counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shop does it and the answer is lost; the look-up finds it."""
    proposal_id = counter.propose()
    policy = (counter.home / "handrail.toml").read_text("utf-8")
    monkeypatch.setenv("SHOP_TOKEN", "made-up")
    with served(
        counter, "--fault", "request_refund:timeout_after_write", SHOP_TOKEN="made-up"
    ) as url:
        counter.write_policy(
            f'[shop]\nkind = "http"\nurl = "{url}"\nauth_env = "SHOP_TOKEN"\n'
            + policy.replace('"CAD"', '"CAD"\ncommand_line = "allow"', 1)
        )
        queued = counter.approve(proposal_id, "UANN", "--wait", "0")
        counter.tamper("UPDATE operations SET next_at_us = 1")
        done = counter.cli("proposals", "execute", "--wait", "0")

    assert queued.exit_code == 0
    assert "again in 2 seconds" in " ".join(queued.stdout.split())
    assert done.exit_code == 0
    assert len(counter.changes()) == 1


def test_a_missing_token_is_named_and_never_shown(counter: Counter) -> None:
    proposal_id = counter.propose()
    policy = (counter.home / "handrail.toml").read_text("utf-8")
    counter.write_policy(
        '[shop]\nkind = "http"\nurl = "http://127.0.0.1:9"\nauth_env = "SHOP_TOKEN"\n' + policy
    )
    done = counter.approve(proposal_id)

    assert done.exit_code == 2
    assert "set the variable SHOP_TOKEN" in done.stderr
