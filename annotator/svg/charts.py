"""Draws the charts of a report."""

from annotator.svg import theme
from annotator.svg.writer import Element, Svg, num
from core.layout.charts import ChartMark, FigureChart

WIDE, HIGH, EDGE = 132.0, 18.0, 6.0  # px, of an interval in a row of a table


def draw(chart: FigureChart, *, title: str, desc: str) -> str:
    """The chart as SVG text; ``desc`` describes what it shows."""
    svg = Svg(
        chart.width,
        chart.height,
        title=title,
        desc=desc,
        class_="chart",
        font_family=theme.FONT_FAMILY,
        font_size=theme.FONT,
    )
    svg.rect(0, 0, chart.width, chart.height, fill=theme.PAPER)
    for mark in chart.marks:
        DRAWN[mark.kind](svg, mark)
    return svg.render()


def draw_interval(value: float, low: float, high: float, *, first: float) -> str:
    """A value and its interval on a line from ``first`` to 1, for a table with the
    figures."""
    svg = Svg(WIDE, HIGH, title="", desc="", class_="chart in-row", aria_hidden="true")
    middle = HIGH / 2

    def x(at: float) -> float:
        return EDGE + (WIDE - 2 * EDGE) * (at - first) / (1 - first)

    svg.line(x(first), middle, x(1), middle, stroke=theme.GRID, stroke_width=1)
    for at in {first, 0.0, 1.0}:
        svg.line(x(at), 3, x(at), HIGH - 3, stroke=theme.GRID, stroke_width=1)
    svg.line(x(low), middle, x(high), middle, stroke=theme.BLUE, stroke_width=2)
    svg.circle(x(value), middle, 4, fill=theme.BLUE)
    return svg.render()


def _cell(svg: Element, mark: ChartMark) -> None:
    fill, ink = theme.shade(mark.share)
    group = svg.group(class_=f"cell deep-{round(10 * min(max(mark.share, 0), 1))}")
    group.title(mark.title)
    wide, high = mark.x2 - mark.x, mark.y2 - mark.y
    group.rect(mark.x, mark.y, wide, high, fill=fill, stroke=theme.PAPER)
    group.text(
        mark.x + wide / 2,
        mark.y + high / 2 + 5,
        mark.text,
        fill=ink,
        text_anchor="middle",
    )


def _bar(svg: Element, mark: ChartMark) -> None:
    group = svg.group()
    group.title(mark.title)
    wide, high = max(mark.x2 - mark.x, 1), mark.y2 - mark.y
    group.rect(mark.x, mark.y, wide, high, fill=theme.BLUE)


def _tick(svg: Element, mark: ChartMark) -> None:
    svg.line(mark.x, mark.y, mark.x2, mark.y2, stroke=theme.GRID, stroke_width=1)


def _zero(svg: Element, mark: ChartMark) -> None:
    svg.line(mark.x, mark.y, mark.x2, mark.y2, stroke=theme.LINE, stroke_width=1)


def _whisker(svg: Element, mark: ChartMark) -> None:
    ink, _ = _series(mark.series)
    svg.line(mark.x, mark.y, mark.x2, mark.y, stroke=ink, stroke_width=2)
    for x in (mark.x, mark.x2):
        svg.line(x, mark.y - 5, x, mark.y + 5, stroke=ink, stroke_width=2)


def _dot(svg: Element, mark: ChartMark) -> None:
    ink, _ = _series(mark.series)
    group = svg.group()
    group.title(mark.title)
    _sign(group, mark.series, mark.x, mark.y, ink, size=5)


def _line(svg: Element, mark: ChartMark) -> None:
    ink, dash = _series(mark.series)
    points = " ".join(f"{num(x)},{num(y)}" for x, y in mark.points)
    group = svg.group()
    group.title(mark.title)
    group.add(
        "polyline",
        points=points,
        fill="none",
        stroke=ink,
        stroke_width=2,
        stroke_dasharray=dash or None,
    )
    for x, y in mark.points:
        _sign(group, mark.series, x, y, ink)


def _sign(
    group: Element, series: int, x: float, y: float, ink: str, *, size: float = 3
) -> None:
    """A dot, a square or a diamond: lines differ without their colour."""
    side, tip = 0.93 * size, 4 / 3 * size
    turn = series + series // len(theme.SERIES)
    if turn % 3 == 0:
        group.circle(x, y, size, fill=ink)
    elif turn % 3 == 1:
        group.rect(x - side, y - side, 2 * side, 2 * side, fill=ink)
    else:
        corners = [(x, y - tip), (x + tip, y), (x, y + tip), (x - tip, y)]
        points = " ".join(f"{num(a)},{num(b)}" for a, b in corners)
        group.add("polygon", points=points, fill=ink)


def _flag(svg: Element, mark: ChartMark) -> None:
    ink, _ = _series(mark.series)
    group = svg.group()
    group.title(mark.title)
    group.line(mark.x, mark.y - 9, mark.x, mark.y + 9, stroke=ink, stroke_width=2)
    group.text(
        mark.x,
        mark.y - 12,
        mark.text,
        fill=theme.INK,
        font_size=11.5,
        text_anchor="middle",
    )


def _name(svg: Element, mark: ChartMark) -> None:
    ink, dash = _series(mark.series)
    y = mark.y - 4
    svg.line(
        mark.x - 10,
        y,
        mark.x + 8,
        y,
        stroke=ink,
        stroke_width=2,
        stroke_dasharray=dash or None,
    )
    _sign(svg, mark.series, mark.x - 1, y, ink)
    svg.text(mark.x + 12, mark.y, mark.text, fill=theme.INK, font_size=11.5)


def _text(svg: Element, mark: ChartMark) -> None:
    svg.text(mark.x, mark.y + 4, mark.text, fill=theme.INK, text_anchor=mark.anchor)


def _note(svg: Element, mark: ChartMark) -> None:
    svg.text(
        mark.x,
        mark.y,
        mark.text,
        fill=theme.MUTED,
        font_size=11.5,
        text_anchor=mark.anchor,
    )


def _series(at: int) -> tuple[str, str]:
    """Colour and dash; the seventh line has the first colour and another dash."""
    turn = at + at // len(theme.SERIES)
    return theme.SERIES[at % len(theme.SERIES)], theme.DASHES[turn % len(theme.DASHES)]


DRAWN = {
    "cell": _cell,
    "bar": _bar,
    "tick": _tick,
    "zero": _zero,
    "whisker": _whisker,
    "dot": _dot,
    "line": _line,
    "flag": _flag,
    "name": _name,
    "text": _text,
    "note": _note,
}
