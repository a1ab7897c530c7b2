"""The trade-off as a picture: failures caught over successes lost, as one SVG.

Written by hand: two axes, some lines and marks need no plotting library. The picture says in
``title`` and ``desc`` what it shows, each mark says what it is, and shapes tell the lines apart
where colours do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from recordings.explore.calibrate import Calibration, Tried

__all__ = ["change_text", "curve_svg"]

WIDTH: Final = 720
HEIGHT: Final = 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 200, 24, 56
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9")
"""M. Okabe and K. Ito's colours, which people who see few colours tell apart."""
_SCALES: Final = (0.05, 0.1, 0.2, 0.5, 1.0)
"""Where the axis of losses may end."""
_SHAPES: Final = (
    '<circle cx="{x:.1f}" cy="{y:.1f}" r="4"',
    '<rect x="{x:.1f}" y="{y:.1f}" width="8" height="8" transform="translate(-4 -4)"',
    '<path d="M{x:.1f} {y:.1f}m0-5l5 9h-10z"',
    '<path d="M{x:.1f} {y:.1f}m0-6l5 6l-5 6l-5-6z"',
    '<path d="M{x:.1f} {y:.1f}m-5-2h10v4h-10z"',
)


def change_text(changes: Mapping[str, Any]) -> str:
    """Return limits in words, such as ``max_steps 6, max_errors 3``."""
    parts = []
    for name, value in changes.items():
        if name == "allowed_repeats":
            parts.append(f"{name} {value} ({changes['repeat']})")
        elif name != "repeat":
            parts.append(f"{name} {value}")
    return ", ".join(parts)


def curve_svg(calibration: Calibration) -> str:
    """Return the picture of a calibration."""
    shown = [*(t for each in calibration.tried.values() for t in each), *calibration.together]
    widest = max((tried.rates.loss or 0.0 for tried in shown), default=0.0)
    widest = max(widest, float(calibration.max_loss))
    frame = _Frame(next(scale for scale in _SCALES if scale >= widest))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
            'role="img" aria-labelledby="curve-title curve-desc"',
            'font-family="sans-serif" font-size="12">',
            '<title id="curve-title">Failures caught over successes lost</title>',
            f'<desc id="curve-desc">{escape(_described(calibration))}</desc>',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
            *frame.axes(),
            *frame.allowed(float(calibration.max_loss)),
            *_lines(frame, calibration),
            "</svg>",
            "",
        ]
    )


class _Frame:
    """Where a share of loss and a share of catch stand in the picture."""

    def __init__(self, widest: float) -> None:
        self._widest = widest

    def x(self, loss: float) -> float:
        """Return the place of a loss."""
        return _LEFT + loss / self._widest * (WIDTH - _LEFT - _RIGHT)

    def y(self, catch: float) -> float:
        """Return the place of a catch."""
        return HEIGHT - _BOTTOM - catch * (HEIGHT - _TOP - _BOTTOM)

    def axes(self) -> Iterator[str]:
        """Yield both axes with their ticks and names."""
        left, right, low, high = self.x(0), self.x(self._widest), self.y(0), self.y(1)
        for step in range(6):
            loss, catch = self._widest * step / 5, step / 5
            x, y = self.x(loss), self.y(catch)
            yield f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="#ddd"/>'
            yield _text(left - 8, y + 4, f"{catch:.0%}", "end")
            yield _text(x, low + 18, f"{loss:.1%}", "middle")
        yield f'<path d="M{left:.1f} {high:.1f}V{low:.1f}H{right:.1f}" stroke="#333" fill="none"/>'
        yield _text((left + right) / 2, HEIGHT - 14, "successes lost", "middle")
        middle = (low + high) / 2
        yield (
            f'<text x="16" y="{middle:.1f}" text-anchor="middle" '
            f'transform="rotate(-90 16 {middle:.1f})">failures caught</text>'
        )

    def allowed(self, max_loss: float) -> Iterator[str]:
        """Yield the line of the loss that is allowed."""
        x = self.x(max_loss)
        yield (
            f'<path d="M{x:.1f} {self.y(1):.1f}V{self.y(0):.1f}" stroke="#333" '
            'stroke-dasharray="4 4"/>'
        )
        yield _text(x + 4, self.y(1) + 10, f"{max_loss:.1%} allowed", "start")

    def line(self, tried: Sequence[Tried], colour: str, width: float) -> str:
        """Return a line through tried limits, from the smallest loss."""
        places = sorted((t.rates.loss or 0.0, t.rates.catch or 0.0) for t in tried)
        points = " ".join(f"{self.x(loss):.1f},{self.y(catch):.1f}" for loss, catch in places)
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>'

    def mark(self, tried: Tried, shape: str, colour: str) -> str:
        """Return the mark of tried limits, which says what it is."""
        loss, catch = tried.rates.loss or 0.0, tried.rates.catch or 0.0
        drawn = shape.format(x=self.x(loss), y=self.y(catch))
        words = f"{change_text(tried.changes)}: {loss:.1%} lost, {catch:.1%} caught"
        return f'{drawn} fill="{colour}"><title>{escape(words)}</title>{_closing(drawn)}'


def _lines(frame: _Frame, calibration: Calibration) -> Iterator[str]:
    key = 0
    for index, (name, tried) in enumerate(calibration.tried.items()):
        if not tried:
            continue
        colour, shape = _COLOURS[index], _SHAPES[index]
        yield frame.line(tried, colour, 1.5)
        yield from (frame.mark(each, shape, colour) for each in tried)
        yield from _key(key, name, colour, shape)
        key += 1
    if calibration.together:
        yield frame.line(calibration.together, "#000", 2.5)
        yield from _key(key, "together", "#000", _SHAPES[0])
    if calibration.best is not None:
        best = calibration.best.tried
        ring = '<circle cx="{x:.1f}" cy="{y:.1f}" r="8" stroke="#000" stroke-width="2.5"'
        yield frame.mark(best, ring, "none")
        yield _text(WIDTH - _RIGHT + 16, _TOP + 20 * (key + 2), "ring: proposed", "start")


def _key(row: int, name: str, colour: str, shape: str) -> Iterator[str]:
    x, y = WIDTH - _RIGHT + 24, _TOP + 8 + 20 * row
    drawn = shape.format(x=x, y=y)
    yield f'{drawn} fill="{colour}"/>'
    yield _text(x + 14, y + 4, name, "start")


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _closing(drawn: str) -> str:
    return f"</{drawn[1 : drawn.index(' ')]}>"


def _described(calibration: Calibration) -> str:
    best = calibration.best
    if best is None:
        return "No limits catch a failure within the loss allowed."
    loss, catch = best.tried.rates.loss or 0.0, best.tried.rates.catch or 0.0
    return (
        f"Proposed: {change_text(best.tried.changes)}, which lose {loss:.1%} of the successes and "
        f"catch {catch:.1%} of the failures. Each line is one limit alone, from loose to tight."
    )
