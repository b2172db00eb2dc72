"""Draws shares with their intervals, a row each, one group a colour and a shape."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotator.svg import theme
from annotator.svg.writer import Element, Svg
from core.layout.measure import GlyphTable

ROW, PAD, WIDE, HEAD = 30.0, 12.0, 420.0, 54.0


@dataclass(frozen=True, slots=True)
class Bar:
    """``share``, ``low`` and ``high`` in percent; ``group`` picks colour and dash."""

    label: str
    share: float
    low: float
    high: float
    group: int = 0


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars in groups; the axis goes from ``start`` to 100 percent."""

    bars: tuple[Bar, ...]
    groups: tuple[str, ...]
    title: str
    desc: str = ""
    start: float = 0.0


def draw_bars(
    bars: Sequence[Bar],
    groups: Sequence[str],
    *,
    title: str,
    desc: str = "",
    start: float = 0.0,
) -> str:
    """SVG text; the axis goes from ``start`` to 100 percent."""
    measure = GlyphTable()
    left = PAD * 2 + max(measure.width(bar.label, size=theme.FONT) for bar in bars)
    height = HEAD + ROW * len(bars) + 34 + 20 * len(groups)
    svg = Svg(
        left + WIDE + 80,
        height,
        title=title,
        desc=desc,
        font_family=theme.FONT_FAMILY,
        font_size=theme.FONT,
    )
    svg.rect(0, 0, left + WIDE + 80, height, fill=theme.PAPER)
    svg.text(PAD, 24, title, fill=theme.INK, font_weight="bold")

    def x(share: float) -> float:
        return left + WIDE * (share - start) / (100 - start)

    bottom = HEAD + ROW * len(bars)
    for k in range(5):
        share = start + (100 - start) * k / 4
        svg.line(x(share), HEAD - 8, x(share), bottom, stroke=theme.GRID)
        svg.text(
            x(share), bottom + 18, f"{share:.0f} %", fill=theme.MUTED,
            text_anchor="middle",
        )  # fmt: skip
    for k, bar in enumerate(bars):
        _bar(svg, bar, x, left, HEAD + ROW * k)
    for k, group in enumerate(groups):
        y = bottom + 34 + 20 * k
        _dot(svg, PAD + 7, y - 4, k)
        svg.text(PAD + 22, y, group, fill=theme.INK)
    return svg.render()


def _bar(
    svg: Svg, bar: Bar, x: Callable[[float], float], left: float, top: float
) -> None:
    middle = top + ROW / 2
    group = svg.group()
    group.title(f"{bar.label}: {bar.share:.1f} % ({bar.low:.1f} to {bar.high:.1f})")
    group.text(left - 8, middle + 4, bar.label, fill=theme.INK, text_anchor="end")
    colour = theme.SERIES[bar.group]
    group.line(left, middle, x(bar.low), middle, stroke=theme.GRID)
    group.line(x(bar.low), middle, x(bar.high), middle, stroke=colour, stroke_width=2.5)
    for end in (bar.low, bar.high):
        group.line(
            x(end), middle - 5, x(end), middle + 5, stroke=colour, stroke_width=2
        )
    _dot(group, x(bar.share), middle, bar.group)
    group.text(x(bar.high) + 8, middle + 4, f"{bar.share:.1f}", fill=theme.INK)


def _dot(parent: Element, x: float, y: float, group: int) -> None:
    """A disc for the first group, a square for any other."""
    colour = theme.SERIES[group]
    if group == 0:
        parent.circle(x, y, 5.5, fill=colour)
    else:
        parent.rect(x - 5, y - 5, 10, 10, fill=colour)
