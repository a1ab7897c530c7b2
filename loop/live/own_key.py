"""Our own key, taken out of whatever a server says: some echo what they were sent."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Final
from urllib.parse import quote, quote_plus

from pydantic import SecretStr

from loop.live.completion import Completion
from loop.messages import WireCall

__all__ = ["OwnKey"]

KEY: Final = "[key]"
SHORT: Final = 8
"""A key of fewer characters is no secret but a word for a server that wants one ("none", "ollama"):
it stays in replies, and goes from errors only where no letter or digit stands beside it."""


class OwnKey:
    """Replaces a key, in each form in which a server may give it back. None is no key."""

    def __init__(self, key: SecretStr | None) -> None:
        secret = "" if key is None else key.get_secret_value()
        self._forms = _pattern(secret) if secret else None
        self._is_short = len(secret) < SHORT

    def out_of(self, text: str) -> str:
        """Return the text with ``[key]`` in the place of the key."""
        return text if self._forms is None else self._forms.sub(KEY, text)

    def out_of_completion(self, found: Completion) -> Completion:
        """Return the completion with ``[key]`` in the place of the key, unless that is short."""
        if self._forms is None or self._is_short:
            return found
        return replace(
            found,
            text=self._or_none(found.text),
            calls=tuple(
                WireCall(
                    call_id=self.out_of(call.call_id),
                    name=self.out_of(call.name),
                    arguments=self.out_of(call.arguments),
                )
                for call in found.calls
            ),
            finish_reason=self._or_none(found.finish_reason),
            refusal=self._or_none(found.refusal),
            model=self._or_none(found.model),
        )

    def _or_none(self, text: str | None) -> str | None:
        return None if text is None else self.out_of(text)


def _pattern(key: str) -> re.Pattern[str]:
    """Return what finds the key as it is, percent-encoded, and as it stands in JSON."""
    in_json = json.dumps(key)[1:-1]
    forms = {key, quote(key, safe=""), quote(key), quote_plus(key), in_json}
    forms.add(in_json.replace("/", "\\/"))
    either = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    return re.compile(either if len(key) >= SHORT else f"(?<![^\\W_])(?:{either})(?![^\\W_])")
