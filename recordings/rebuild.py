"""Make the shipped recordings anew from their written replies: ``make recordings``.

Needed whenever a prompt, a schema, a tool's result or the shipped data change: the recordings'
digests are those of the requests that the code makes. A test fails until it was done.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loop import get_profile, work_for
from recordings.codec import encode
from recordings.construct import MARKS, WrittenRun, construct, profile_for, read_written
from recordings.files import SHIPPED_RECORDINGS
from tools import PRACTICE_TODAY, SHIPPED_DATA, FaultyShop, PracticeShop, TicketCase, load_tickets

__all__ = ["rebuilt"]


def rebuilt() -> Iterator[tuple[Path, str]]:
    """Yield each shipped file with the text that it should have.

    Raises:
        RecordingUnreadable: a written file is malformed, or a run ends before its replies do.
    """
    cases = {case.ticket.ticket_id: case for case in load_tickets(SHIPPED_DATA)}
    with PracticeShop.from_folder() as shop:
        for source in sorted((SHIPPED_RECORDINGS / "written").glob("*.jsonl")):
            lines = [
                line
                for written in read_written(source)
                for line in _lines(written, cases[written.ticket_id], shop)
            ]
            yield SHIPPED_RECORDINGS / source.name, "".join(f"{line}\n" for line in lines)


def _lines(written: WrittenRun, case: TicketCase, shop: PracticeShop) -> Iterator[str]:
    work = work_for(
        case.ticket,
        profile_for(written, get_profile(written.profile)),
        FaultyShop(shop, case.faults),
        today=PRACTICE_TODAY,
        model_name=written.model,
        marks=MARKS,
    )
    for entry in construct(written, work):
        yield encode(written.run_id, entry)


def main() -> None:
    """Write the files and say which."""
    for path, text in rebuilt():
        path.write_text(text, encoding="utf-8")
        print(f"{path.name}: {text.count(chr(10))} lines")  # noqa: T201 (a command's output)


if __name__ == "__main__":
    main()
