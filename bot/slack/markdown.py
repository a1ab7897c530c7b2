"""A model's Markdown as Slack shows it: parsed by CommonMark's rules, written anew in mrkdwn.

Nothing of the source is copied as markup: the parser's tokens decide what is bold or code, and
every text in them is escaped. Links are shown in full as text, never behind a label. Tables, which
mrkdwn does not have, become preformatted columns, or lists where they are too wide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from wcwidth import wcswidth

from bot.slack.markup import FENCE, cut_at, escape, tame

__all__ = ["mrkdwn_parts", "pack"]

MAX_TABLE_COLUMNS: Final = 72
"""Widest preformatted table, in columns; it wraps on a narrow window beyond."""
_MAX_NESTING: Final = 20
_PARSER: Final = MarkdownIt("commonmark", {"html": False, "maxNesting": _MAX_NESTING}).enable(
    ["table", "strikethrough"]
)
_MARKERS: Final = {"strong": "*", "em": "_", "s": "~"}
_LITERAL: Final = {"*": "\u2217", "_": "\u02cd", "~": "\u223c", "`": "\u02cb"}
_WOULD_FORMAT: Final = re.compile(r"`|(?<!\w)[*_~](?=\S)|(?<=\S)[*_~](?!\w)")
_LOOKS_LIKE_ADDRESS: Final = re.compile(
    r"(?i)^\s*(?:[a-z][a-z0-9+.-]*:)?(?://)?[\w-]+(?:\.[\w-]+)+\S*\s*$"
)
_BOUNDARY: Final = "\u200b"
"""Between a letter and one of our markers: mrkdwn formats between words only."""
_RULE: Final = "\u2500" * 12
_INDENT: Final = "    "


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the text that starts on a new line: prose, or what stands in a fence."""

    text: str
    code: bool = False


def mrkdwn_parts(markdown: str, most: int) -> list[str]:
    """Return Markdown as texts of at most ``most`` characters, fences closed in each of them.

    Nothing is left out. ``most`` is at least 100.
    """
    tree = SyntaxTreeNode(_PARSER.parse(tame(markdown)))
    return pack(list(_blocks(tree)), most)


def pack(pieces: Sequence[_Piece], most: int) -> list[str]:
    """Return pieces put together into as few texts as their order allows."""
    parts: list[str] = []
    for text in (text for piece in pieces for text in _fitting(piece, most)):
        joined = f"{parts[-1]}\n\n{text}" if parts else text
        if parts and len(joined) <= most:
            parts[-1] = joined
        elif text.strip():
            parts.append(text)
    return parts


def _fitting(piece: _Piece, most: int) -> Iterator[str]:
    """Yield a piece as texts that fit, cut at lines where there are some, and fenced again."""
    frame = f"{FENCE}\n{{}}\n{FENCE}" if piece.code else "{}"
    room = most - len(frame) + 2
    rest = piece.text
    while len(rest) > room:
        place = cut_at(rest, room)
        at_line = rest.rfind("\n", room // 2, place)
        at_word = -1 if piece.code else rest.rfind(" ", room // 2, place)
        place = next((found for found in (at_line, at_word) if found > 0), place)
        yield frame.format(rest[:place])
        rest = rest[place:].lstrip("\n") if piece.code else rest[place:].lstrip()
    if rest or piece.code:
        yield frame.format(rest)


def _blocks(node: SyntaxTreeNode) -> Iterator[_Piece]:
    for child in node.children:
        yield from _block(child)


def _block(node: SyntaxTreeNode) -> Iterator[_Piece]:
    match node.type:
        case "paragraph":
            yield _Piece(_inline(node.children))
        case "heading":
            title = _inline(node.children, bold=True)
            yield _Piece(f"*{title}*" if title else "")
        case "fence" | "code_block":
            yield _code(node.content)
        case "bullet_list" | "ordered_list":
            yield from _list(node)
        case "blockquote":
            yield from _quote(node)
        case "table":
            yield _table(node)
        case "hr":
            yield _Piece(_RULE)
        case _:
            yield _Piece(_literal(node.content) if not node.children else _inline(node.children))


def _code(content: str) -> _Piece:
    return _Piece(escape(content.rstrip("\n").replace("`", _LITERAL["`"])), code=True)


def _list(node: SyntaxTreeNode) -> Iterator[_Piece]:
    """Yield the items; consecutive lines stay together, code stands on its own."""
    number = int(node.attrs.get("start", 1))
    lines: list[str] = []
    for item in node.children:
        mark = f"{number}. " if node.type == "ordered_list" else "\u2022 "
        number += 1
        for place, piece in enumerate(_blocks(item)):
            if piece.code:
                if place == 0:
                    lines.append(mark.rstrip())
                yield _Piece("\n".join(lines))
                lines = []
                yield piece
            else:
                start = mark if place == 0 else _INDENT
                lines.append(start + piece.text.replace("\n", f"\n{_INDENT}"))
    yield _Piece("\n".join(lines))


def _quote(node: SyntaxTreeNode) -> Iterator[_Piece]:
    for piece in _blocks(node):
        if piece.code:
            yield piece
        else:
            yield _Piece("\n".join(f"> {each}" for each in piece.text.split("\n")))


def _table(node: SyntaxTreeNode) -> _Piece:
    rows = [row for section in node.children for row in section.children]
    cells = [[_plain(cell.children) for cell in row.children] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    if sum(widths) + 3 * len(widths) > MAX_TABLE_COLUMNS:
        return _Piece("\n".join(_as_list(cells)))
    lines = [" | ".join(map(_padded, row, widths)).rstrip() for row in cells]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return _code("\n".join(lines))


def _as_list(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    head, *rows = cells
    for row in rows:
        told = "; ".join(
            f"{name}: {value}" if name else value
            for name, value in zip(head, row, strict=True)
            if value
        )
        yield f"\u2022 {_literal(told)}"


def _width(text: str) -> int:
    return max(wcswidth(text), 0)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _plain(nodes: Sequence[SyntaxTreeNode]) -> str:
    """Return the bare text of inline nodes, not escaped, on one line."""
    found = [_bare(each) for node in nodes for each in node.walk() if not each.children]
    return " ".join("".join(found).split())


def _bare(leaf: SyntaxTreeNode) -> str:
    return " " if leaf.type in ("softbreak", "hardbreak") else tame(leaf.content)


def _inline(nodes: Sequence[SyntaxTreeNode], *, bold: bool = False) -> str:
    """Return inline nodes in mrkdwn; ``bold``: what stands around is bold already."""
    text = ""
    for node in nodes:
        text = _joined(text, _span(node, bold=bold))
    return text


def _span(node: SyntaxTreeNode, *, bold: bool) -> str:
    match node.type:
        case "inline":
            return _inline(node.children, bold=bold)
        case "text":
            return _literal(node.content)
        case "softbreak" | "hardbreak":
            return "\n"
        case "code_inline":
            return _code_span(node.content)
        case "strong" | "em" | "s":
            return _emphasis(node, bold=bold)
        case "link" | "image":
            return _link(node)
        case _:
            return (
                _literal(node.content) if not node.children else _inline(node.children, bold=bold)
            )


def _emphasis(node: SyntaxTreeNode, *, bold: bool) -> str:
    inside = _inline(node.children, bold=bold or node.type == "strong")
    if not inside.strip() or (bold and node.type == "strong"):
        return inside
    marker = _MARKERS[node.type]
    # mrkdwn ends every format at the end of its line.
    return f"{marker}{' '.join(inside.split())}{marker}"


def _code_span(content: str) -> str:
    return f"`{escape(content.replace('`', _LITERAL['`'])) or ' '}`"


def _link(node: SyntaxTreeNode) -> str:
    """Return a link as text: its label, then where it leads, in full.

    A label that reads like an address is left out: it can only repeat the real one, or lie.
    """
    label = node.content if node.type == "image" else _plain(node.children)
    address = str(node.attrs.get("src" if node.type == "image" else "href", ""))
    if not address:
        return _literal(label)
    shown = escape(address)
    if not label or label == address or _LOOKS_LIKE_ADDRESS.match(label) or _host_in(label):
        return shown
    return f"{_literal(label)} ({shown})"


def _host_in(label: str) -> bool:
    """Whether a label names an address anywhere in it."""
    return "://" in label or any(
        urlsplit(f"//{word}").hostname and _LOOKS_LIKE_ADDRESS.match(word) for word in label.split()
    )


def _literal(text: str) -> str:
    """Return text escaped, signs that mrkdwn would take for formatting replaced by their like."""
    # Tamed again: an entity of Markdown can stand for any character.
    return escape(_WOULD_FORMAT.sub(lambda found: _LITERAL[found[0]], tame(text)))


def _joined(before: str, after: str) -> str:
    """Put two spans together; a marker beside a letter gets the boundary that it needs."""
    if not before or not after:
        return before + after
    last, first = before[-1], after[0]
    markers = set(_MARKERS.values()) | {"`"}
    if (last in markers and first.isalnum()) or (first in markers and last.isalnum()):
        return f"{before}{_BOUNDARY}{after}"
    return before + after
