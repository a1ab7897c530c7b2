"""What the command line says of a change."""

from __future__ import annotations

from typing import Any

import pytest

from approvals import OperationState
from bot.proposal_texts import operation_text
from tests.bot.slack.looks import operation


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "done, RF-0001"),
        ({"pending": True}, "done, RF-0001; the shop calls it pending"),
        ({"result": {}}, "done"),
        ({"result": None}, "done"),
    ],
)
def test_a_done_change_is_named_by_the_shops_reference_where_it_has_one(
    given: dict[str, Any], words: str
) -> None:
    assert operation_text(operation(OperationState.DONE, **given)) == words
