"""``serve --record``: each run that ended becomes a file, whatever came between."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from approvals.store import Writer
from bot.recorder import Recorder
from bot.settings import Settings
from bot.slack.keeping import AGAIN_US, Keeping
from bot.slack.store.owed import owe_recording, owed_recordings
from bot.slack.troubles import Troubles
from loop import PRICES
from recordings import Runs, check_recordings
from tests.scenarios.office import Office, make_workspace


class RecordingOffice(Office):
    """A bot that keeps its runs as recordings."""

    @property
    def kept(self) -> Path:
        """The folder of the recordings."""
        return self.folder / "kept"

    @property
    def settings(self) -> Settings:
        """The settings of the bot."""
        return super().settings.model_copy(update={"record": self.kept})

    def lines(self) -> dict[str, str]:
        """Return the journals of the store as they are exported, by the names of their files."""
        with self.store() as db:
            runs = Runs(db)
            return {
                f"{each}.jsonl": "".join(f"{line}\n" for line in runs.lines(each))
                for each in runs.ids()
            }

    def files(self) -> dict[str, str]:
        """Return what lies in the folder."""
        return {each.name: each.read_text(encoding="utf-8") for each in self.kept.iterdir()}


@pytest.fixture
def bot(tmp_path: Path) -> Iterator[RecordingOffice]:
    """A bot that is not started."""
    with make_workspace() as workspace:
        office = RecordingOffice(workspace, tmp_path, {})
        try:
            yield office
        finally:
            office.close()


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was said of a folder that takes nothing."""
    said = [each.getMessage() for each in list(caplog.records)]
    return [each for each in said if "takes no recordings" in each]


def test_a_run_that_ended_is_a_file_of_the_lines_that_the_store_has(bot: RecordingOffice) -> None:
    bot.open()
    bot.ticket("T-80008")
    bot.rest()

    assert bot.files() == bot.lines()
    assert check_recordings(bot.kept, PRICES).whole == 1


def test_a_folder_that_went_is_told_once_and_loses_no_recording(
    bot: RecordingOffice, caplog: pytest.LogCaptureFixture
) -> None:
    """What the next process finds is what a kill between the commit and the file leaves."""
    bot.open()
    shutil.rmtree(bot.kept)
    with caplog.at_level(logging.ERROR, logger="handrail.slack"):
        bot.ticket("T-80008")
        bot.ticket("T-80001")
        bot.until(lambda: bot.count("SELECT count(*) FROM recordings_owed") == 2)
        bot.until(lambda: told(caplog) != [])
        bot.close()

    (once,) = told(caplog)
    assert "they stay in the store" in once

    bot.open()
    bot.rest()
    assert bot.files() == bot.lines()
    assert len(bot.files()) == 2


def test_what_a_killed_process_left_of_a_file_is_cleared(bot: RecordingOffice) -> None:
    bot.open()
    bot.ticket("T-80008")
    bot.rest()
    bot.close()
    ((name, whole),) = bot.files().items()
    (bot.kept / name).unlink()
    (bot.kept / name).with_suffix(".part").write_text(whole[:100], encoding="utf-8")
    with Writer(bot.settings.store) as writer:
        writer.run(lambda db: owe_recording(db, Path(name).stem))

    bot.open()
    bot.rest()

    assert bot.files() == {name: whole}


def test_a_file_of_another_run_of_the_same_id_stays(bot: RecordingOffice) -> None:
    """As of an earlier store that was taken away: ids begin at 1 again."""
    bot.open()
    bot.ticket("T-80008")
    bot.rest()
    bot.close()
    ((name, whole),) = bot.files().items()
    (bot.kept / name).write_text("another run\n", encoding="utf-8")
    numbered = f"{Path(name).stem}.2.jsonl"
    for _ in range(2):  # a second writing of it is no third file
        with Writer(bot.settings.store) as writer:
            writer.run(lambda db: owe_recording(db, Path(name).stem))
        bot.open()
        bot.rest()
        bot.close()

    assert bot.files() == {name: "another run\n", numbered: whole}


def test_after_a_trouble_it_is_tried_again_in_a_minute_and_not_before(
    bot: RecordingOffice,
) -> None:
    bot.open()
    bot.ticket("T-80008")
    bot.rest()
    bot.close()
    recorder = Recorder(bot.kept)
    shutil.rmtree(bot.kept)
    now = [1]
    with bot.store() as db, Writer(bot.settings.store) as writer:
        keeping = Keeping(recorder, writer=writer, troubles=Troubles(), now_us=lambda: now[0])
        (run_id,) = Runs(db).ids()
        writer.run(lambda w: owe_recording(w, run_id))

        assert keeping.step(db) == 1 + AGAIN_US
        bot.kept.mkdir()
        assert keeping.step(db) == 1 + AGAIN_US
        assert bot.files() == {}
        now[0] += AGAIN_US
        assert keeping.step(db) is None
        assert bot.files() == bot.lines()
        assert owed_recordings(db) == []
