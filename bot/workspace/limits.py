"""What Slack refuses: sizes of messages, blocks, views and metadata, counted in code points.

Figures are of docs.slack.dev ("Block Kit reference", ``chat.postMessage``, "Message metadata"),
checked against the models of slack_sdk 3.48. ``MOST_BLOCK_TEXT`` is undocumented: public reports
put the refusal ``msg_blocks_too_long`` at about 13,200 characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bot.workspace.block_rules import Problem, problems_of_block
from bot.workspace.errors import MethodRefused

__all__ = ["MOST_TEXT", "check_blocks", "check_metadata", "check_view", "problems_of_blocks"]

MOST_TEXT = 40_000
MOST_MESSAGE_BLOCKS = 50
MOST_VIEW_BLOCKS = 100
MOST_BLOCK_TEXT = 13_200
MOST_MARKDOWN = 12_000
MOST_PRIVATE_METADATA = 3_000
MOST_NAME = 255
MOST_TITLE = 24
MOST_METADATA_CHARS = 8_000

MESSAGE_BLOCKS = frozenset(
    """actions alert card carousel container context context_actions divider file header image
    markdown plan rich_text section table task_card video""".split()
)
MODAL_BLOCKS = frozenset(
    "actions context divider header image input rich_text section video".split()
)
HOME_BLOCKS = MODAL_BLOCKS


def check_blocks(blocks: Sequence[dict[str, Any]]) -> None:
    """Check the blocks of a message.

    Raises:
        MethodRefused: ``invalid_blocks`` with one line per problem, or ``msg_blocks_too_long``.
    """
    problems = list(problems_of_blocks(blocks))
    if problems:
        raise MethodRefused("invalid_blocks", *map(str, problems))
    if sum(map(_text_length, blocks)) > MOST_BLOCK_TEXT:
        raise MethodRefused("msg_blocks_too_long")


def problems_of_blocks(
    blocks: Sequence[dict[str, Any]],
    *,
    allowed: frozenset[str] = MESSAGE_BLOCKS,
    most: int = MOST_MESSAGE_BLOCKS,
) -> Iterator[Problem]:
    """Yield what Slack would refuse about a list of blocks, with the place of each problem."""
    if len(blocks) > most:
        yield Problem("/blocks", f"no more than {most} items allowed")
    seen: set[str] = set()
    for number, block in enumerate(blocks):
        place = f"/blocks/{number}"
        if block.get("type") not in allowed:
            yield Problem(f"{place}/type", "unsupported type")
            continue
        yield from problems_of_block(block, place)
        name = block.get("block_id")
        if name and name in seen:
            yield Problem(f"{place}/block_id", f"block_id already exists: {name}")
        seen.add(str(name))
    markdown = sum(len(str(b.get("text", ""))) for b in blocks if b.get("type") == "markdown")
    if markdown > MOST_MARKDOWN:
        yield Problem(
            "/blocks", f"markdown blocks must be less than {MOST_MARKDOWN + 1} characters"
        )
    if sum(block.get("type") == "table" for block in blocks) > 1:
        yield Problem("/blocks", "only one table allowed")


def check_view(view: object, *, home: bool) -> dict[str, Any]:
    """Check a view and return it.

    Raises:
        MethodRefused: ``invalid_arguments`` with one line per problem.
    """
    if not isinstance(view, dict):
        raise MethodRefused("invalid_arguments", "[ERROR] must be an object [json-pointer:/view]")
    problems = list(_problems_of_view(view, home=home))
    if problems:
        raise MethodRefused("invalid_arguments", *map(str, problems))
    return view


def _problems_of_view(view: dict[str, Any], *, home: bool) -> Iterator[Problem]:
    wanted = "home" if home else "modal"
    if view.get("type") != wanted:
        yield Problem("/view/type", f"must be {wanted}")
    blocks = view.get("blocks")
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        yield Problem("/view/blocks", "must be an array of objects")
        return
    for problem in problems_of_blocks(
        blocks, allowed=HOME_BLOCKS if home else MODAL_BLOCKS, most=MOST_VIEW_BLOCKS
    ):
        yield Problem(f"/view{problem.place}", problem.what)
    for name, most in (
        ("private_metadata", MOST_PRIVATE_METADATA),
        ("callback_id", MOST_NAME),
        ("external_id", MOST_NAME),
    ):
        if len(str(view.get(name) or "")) > most:
            yield Problem(f"/view/{name}", f"must be less than {most + 1} characters")
    if not home:
        yield from _problems_of_modal(view, blocks)


def _problems_of_modal(view: dict[str, Any], blocks: list[dict[str, Any]]) -> Iterator[Problem]:
    for name in ("title", "submit", "close"):
        part = view.get(name)
        if part is None:
            if name == "title":
                yield Problem("/view/title", "missing required field: title")
            continue
        text = part.get("text") if isinstance(part, dict) else None
        if not text or part.get("type") != "plain_text":
            yield Problem(f"/view/{name}", "must be plain_text with a text")
        elif len(text) > MOST_TITLE:
            yield Problem(f"/view/{name}/text", f"must be less than {MOST_TITLE + 1} characters")
    has_input = any(block.get("type") == "input" for block in blocks)
    if has_input and view.get("submit") is None:
        yield Problem("/view/submit", "submit is required when the view has an input block")


def check_metadata(metadata: object) -> dict[str, Any]:
    """Check a message's metadata and return it: an event type and a flat payload.

    Raises:
        MethodRefused: ``invalid_metadata_format``, ``invalid_metadata_schema`` or
            ``metadata_too_large``.
    """
    if not isinstance(metadata, dict) or not isinstance(metadata.get("event_type"), str):
        raise MethodRefused("invalid_metadata_format")
    payload = metadata.get("event_payload")
    if not isinstance(payload, dict):
        raise MethodRefused("invalid_metadata_format")
    if not all(isinstance(value, str | int | float | bool) for value in payload.values()):
        raise MethodRefused("invalid_metadata_schema")
    if len(repr(payload)) > MOST_METADATA_CHARS:
        raise MethodRefused("metadata_too_large")
    return metadata


def _text_length(part: object) -> int:
    """Count every text inside a block, wherever it stands."""
    match part:
        case {"text": str(text), **rest}:
            return len(text) + _text_length(rest)
        case dict():
            return sum(map(_text_length, part.values()))
        case list():
            return sum(map(_text_length, part))
        case _:
            return 0
