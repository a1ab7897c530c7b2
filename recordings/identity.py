"""Which recordings these are: so that a run is not gone on with over others."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from loop import Entry
from recordings.codec import encode
from recordings.recording import Recording

__all__ = ["recordings_digest"]


def recordings_digest(recordings: Iterable[Recording]) -> str:
    """Return a digest of all that recordings answer, and in which order (64 hex digits)."""
    whole = sha256(b"handrail/recordings/1\n")
    for recording in recordings:
        for exchange in recording.exchanges:
            entry = Entry(seq=exchange.step, at_us=exchange.answer_us, record=exchange.answer)
            whole.update(f"{exchange.digest} {encode(recording.name, entry)}\n".encode())
    return whole.hexdigest()
