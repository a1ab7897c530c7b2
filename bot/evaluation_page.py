"""The report of an evaluation as one page: figures with their intervals, misses first, traces.

The page is a tree of elements, so that every text in it is escaped where it is written out.
It loads nothing and runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from bot.evaluating import Evaluated
from bot.evaluation_texts import SHARE_WORDS, miss_text, share_text, total_lines
from bot.texts import counted
from bot.trace import lines
from recordings import Evaluation, Share

__all__ = ["evaluation_page"]

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1d1c1d; --paper: #fff; --faint: #767676; --bar: #1264a3;
  --bad: #b3261e; --line: #ddd; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #1a1d21; --faint: #a5a5a5;
  --bar: #5aa9e6; --bad: #ff8a80; --line: #3a3d41; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line);
  vertical-align: top; }
pre { overflow-x: auto; white-space: pre-wrap; font-size: .85rem; }
summary { cursor: pointer; }
.faint { color: var(--faint); }
.bad { color: var(--bad); }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); font: 14px system-ui, sans-serif; }
.track { fill: var(--line); } .bar { fill: var(--bar); } .whisker { stroke: var(--ink); }
@media print { details { break-inside: avoid; } }
"""
_LABEL: Final = 210
_TRACK: Final = 420
_ROW: Final = 30


def evaluation_page(evaluation: Evaluation, evaluated: Sequence[Evaluated]) -> str:
    """Return the whole page."""
    identity = evaluation.identity
    title = f"Evaluation of {identity.profile} with {identity.model}"
    page = ET.Element("html", lang="en")
    head = _add(page, "head")
    _add(head, "meta", charset="utf-8")
    _add(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    _add(head, "title", title)
    _add(head, "style", _STYLE)
    main = _add(_add(page, "body"), "main")
    _add(main, "h1", title)
    totals = evaluation.totals()
    runs, tickets = counted(totals.runs, "run"), counted(totals.tickets, "ticket")
    _add(main, "p", f"{runs} of {tickets}, made {evaluation.made_at}")
    main.append(_bars({SHARE_WORDS[name]: share for name, share in totals.shares.items()}))
    _add(main, "p", "Bars are shares, lines their 95 % intervals (Wilson).", cls="faint")
    _add(main, "h2", "Where runs ended")
    main.append(_counts(totals.stops, totals.runs))
    missed = [each for each in evaluated if each.judged.missed]
    _add(main, "h2", f"Misses ({len(missed)})")
    if missed:
        main.append(_table(missed))
    else:
        _add(main, "p", "None: every label was met.")
    _add(main, "h2", "All figures")
    _add(main, "pre", "\n".join(total_lines(evaluation)))
    _add(main, "h2", "What it was made with")
    main.append(_facts(identity.model_dump(mode="json")))
    _add(main, "h2", "Traces")
    for each in [*missed, *(one for one in evaluated if not one.judged.missed)]:
        main.append(_trace(each))
    return "<!doctype html>\n" + ET.tostring(page, encoding="unicode", method="html") + "\n"


def _add(
    parent: ET.Element,
    tag: str,
    text: str | None = None,
    cls: str | None = None,
    **attributes: str,
) -> ET.Element:
    if cls is not None:
        attributes["class"] = cls
    child = ET.SubElement(parent, tag, attributes)
    child.text = text
    return child


def _bars(shares: Mapping[str, Share]) -> ET.Element:
    """Return the plot of shares; a reader that cannot see it hears the same figures."""
    known = {name: share for name, share in shares.items() if share.of}
    width, height = _LABEL + _TRACK + 60, _ROW * len(known)
    plot = ET.Element("svg", viewBox=f"0 0 {width} {height}", width=str(width), role="img")
    _add(plot, "title", "Shares that are as the labels say")
    _add(plot, "desc", "; ".join(f"{name} {share_text(share)}" for name, share in known.items()))
    for row, (name, share) in enumerate(known.items()):
        top = row * _ROW
        _add(plot, "text", name, x="0", y=str(top + 20))
        _add(plot, "rect", None, "track", **_rect(_LABEL, top + 6, _TRACK))
        filled = _TRACK * (share.value or 0)
        _add(plot, "rect", None, "bar", **_rect(_LABEL, top + 6, filled))
        low, high = (_LABEL + _TRACK * end for end in share.interval)
        middle = f"{top + 15}"
        _add(plot, "line", None, "whisker", x1=f"{low:.1f}", x2=f"{high:.1f}", y1=middle, y2=middle)
        _add(plot, "text", f"{share.value:.0%}", x=str(_LABEL + _TRACK + 8), y=str(top + 20))
    return plot


def _rect(x: float, y: float, width: float) -> dict[str, str]:
    return {"x": f"{x}", "y": f"{y}", "width": f"{width:.1f}", "height": "18", "rx": "3"}


def _counts(counts: Mapping[str, int], total: int) -> ET.Element:
    table = ET.Element("table")
    for name, count in counts.items():
        row = _add(table, "tr")
        _add(row, "th", name, scope="row")
        _add(row, "td", f"{count} of {total}")
    return table


def _table(missed: Iterable[Evaluated]) -> ET.Element:
    table = ET.Element("table")
    head = _add(_add(table, "thead"), "tr")
    for name in ("ticket", "kind", "ended by", "what was not as the label says"):
        _add(head, "th", name, scope="col")
    body = _add(table, "tbody")
    for each in missed:
        row = _add(body, "tr")
        link = _add(
            _add(row, "th", scope="row"), "a", each.judged.ticket_id, href=f"#{_anchor(each)}"
        )
        link.tail = f" run {each.judged.run}"
        _add(row, "td", each.judged.slice or "")
        _add(row, "td", each.judged.stop)
        _add(row, "td", miss_text(each), cls="bad")
    return table


def _facts(facts: Mapping[str, object]) -> ET.Element:
    table = ET.Element("table")
    for name, value in facts.items():
        row = _add(table, "tr")
        _add(row, "th", name, scope="row")
        _add(row, "td", _shown(value))
    return table


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {'none' if one is None else one}" for name, one in value.items())
    return "all" if value is None else str(value)


def _trace(each: Evaluated) -> ET.Element:
    details = ET.Element("details", id=_anchor(each))
    if each.judged.missed:  # what a link leads to, and what is printed, is there to be read
        details.set("open", "open")
    verdict = "missed" if each.judged.missed else "as the label says"
    _add(details, "summary", f"{each.judged.ticket_id} run {each.judged.run}: {verdict}")
    _add(details, "p", each.case.ticket.text)
    _add(details, "pre", "\n".join(lines(each.story)))
    if each.story.resolution is not None:
        _add(details, "p", "The draft:", cls="faint")
        _add(details, "pre", str(each.story.resolution["reply"]))
    _add(details, "p", each.story.summary(), cls="faint")
    return details


def _anchor(each: Evaluated) -> str:
    return f"{each.judged.ticket_id}-{each.judged.run}"
