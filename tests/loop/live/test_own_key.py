"""Our own key in what a server says: taken out, unless it is a word that no secret would be."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from loop.live.completion import Completion, completion_of
from loop.live.own_key import OwnKey

SECRET = "sk-canary-0123456789"


def reply(text: str) -> Completion:
    """Return what a server said."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return completion_of({"model": "m", "choices": [choice]})


@pytest.mark.parametrize("key", ["none", "1", "null", "EMPTY", "ollama"])
def test_a_word_that_a_local_server_takes_for_a_key_changes_no_reply(key: str) -> None:
    said = reply(f'{{"rule":"{key}","sku":null,"quantity":1,"reply":"None, or {key}."}}')

    assert OwnKey(SecretStr(key)).out_of_completion(said) == said


def test_such_a_word_is_still_taken_out_of_errors_where_it_stands_alone() -> None:
    hidden = OwnKey(SecretStr("ollama")).out_of("bad key ollama for ollamas")

    assert hidden == "bad key [key] for ollamas"


def test_a_key_that_a_server_gives_back_is_in_no_reply() -> None:
    hidden = OwnKey(SecretStr(SECRET)).out_of_completion(reply(f"You sent {SECRET}."))

    assert hidden.text == "You sent [key]."
