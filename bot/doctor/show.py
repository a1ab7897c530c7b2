"""How the findings look: lines for a terminal, values for a script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from bot.doctor.findings import Finding, Level
from bot.texts import counted

__all__ = ["as_json", "lines_of", "summary_of"]

_CHECK: Final = 10
_LEVEL: Final = 8


def lines_of(finding: Finding) -> Iterator[str]:
    """Yield what was found, and below it what to do."""
    yield f"{finding.level.value:<{_LEVEL}} {finding.check:<{_CHECK}} {finding.what}"
    if finding.do:
        yield f"{'':<{_LEVEL}} {'':<{_CHECK}} -> {finding.do}"


def summary_of(findings: Sequence[Finding]) -> str:
    """Return the last line: how much there is to do."""
    problems, warnings = _count(findings, Level.PROBLEM), _count(findings, Level.WARNING)
    if not problems and not warnings:
        return "all is well"
    return f"{counted(problems, 'problem')}, {counted(warnings, 'warning')}"


def as_json(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the findings as JSON values."""
    return {
        "problems": _count(findings, Level.PROBLEM),
        "warnings": _count(findings, Level.WARNING),
        "findings": [
            {"check": each.check, "level": each.level.value, "what": each.what, "do": each.do}
            for each in findings
        ],
    }


def _count(findings: Iterable[Finding], level: Level) -> int:
    return sum(each.level is level for each in findings)
