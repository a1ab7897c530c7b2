"""Markdown blocks, parsed here, so that the page builds elements and never reads markup itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

__all__ = ["parsed", "with_markdown"]

_READER: Final = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_TAGS: Final = {"softbreak": "br", "hardbreak": "br", "fence": "pre", "code_block": "pre"}


def with_markdown(blocks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return blocks; those of Markdown carry what they parse to as ``parsed``."""
    return [
        block | {"parsed": parsed(str(block.get("text", "")))}
        if block.get("type") == "markdown"
        else block
        for block in blocks
    ]


@lru_cache(maxsize=256)
def parsed(text: str) -> list[Any]:
    """Return Markdown as nested lists: a text, or ``[tag, address or None, children]``."""
    return [_node(each) for each in SyntaxTreeNode(_READER.parse(text)).children]


def _node(node: SyntaxTreeNode) -> Any:
    match node.type:
        case "text" | "html_inline" | "html_block":
            return node.content
        case "fence" | "code_block" | "code_inline":
            return [_TAGS.get(node.type, "code"), None, [node.content]]
        case "link":
            return ["a", str(node.attrs.get("href", "")), _children(node)]
        case "image":
            return ["a", str(node.attrs.get("src", "")), [node.content or "image"]]
        case "inline":
            return ["span", None, _children(node)]
        case _:
            return [_TAGS.get(node.type, node.tag or "div"), None, _children(node)]


def _children(node: SyntaxTreeNode) -> list[Any]:
    return [_node(each) for each in node.children]
