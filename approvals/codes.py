"""The ids of proposals: ``P-`` and a short code that is easy to read aloud."""

from __future__ import annotations

import secrets
from typing import Final

__all__ = ["random_code", "read_proposal_id"]

ALPHABET: Final = "2346789FHKMQRWXY"
"""Sixteen signs whose names sound apart: no 0/O, 1/I, 5/9, A/8, S/F or B/D/P/T; no vowels."""
CODE_CHARS: Final = 6
"""24 bits. A code that is taken is thrown away for the next."""
_HALF: Final = CODE_CHARS // 2


def random_code() -> str:
    """Return six signs in two groups, such as ``7KM-4XQ``."""
    signs = "".join(secrets.choice(ALPHABET) for _ in range(CODE_CHARS))
    return f"{signs[:_HALF]}-{signs[_HALF:]}"


def read_proposal_id(typed: str) -> str:
    """Return the id that somebody means by what they typed: any case, with or without dashes.

    What cannot be an id comes back in capitals, and is then unknown.
    """
    signs = typed.strip().upper().replace("-", "").replace(" ", "")
    code = signs.removeprefix("P")
    if len(code) == CODE_CHARS and set(code) <= set(ALPHABET):
        return f"P-{code[:_HALF]}-{code[_HALF:]}"
    return typed.strip().upper()
