"""The geometry of a report's charts, in px, y down."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.protocols import TextMeasure

FONT = 13.0
SMALL = 11.5
PAD = 12.0
ROW = 30.0
CELL = 52.0
PLOT = 420.0  # width of the part that holds values
BAR = 240.0  # length of the longest bar
LONGEST_NAME = 28  # characters of a name before a bar


@dataclass(frozen=True, slots=True)
class ChartMark:
    """One thing to draw, from (x, y) to (x2, y2).

    ``kind``: cell, bar, tick, zero, whisker, dot, line, flag, name, text or note.
    ``text`` is drawn; ``title`` is said of it. ``share``: 0 to 1, the depth of a cell.
    ``series``: which line or dot it belongs to. ``anchor``: start, middle or end of
    the text.
    """

    kind: str
    x: float
    y: float
    x2: float = 0.0
    y2: float = 0.0
    text: str = ""
    title: str = ""
    share: float = 0.0
    series: int = 0
    anchor: str = "start"
    points: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Flag:
    """A sign on line ``series`` at ``place``, in steps of the x axis from its start."""

    series: int
    place: float
    text: str
    title: str


@dataclass(frozen=True, slots=True)
class FigureChart:
    """A drawing without its ink."""

    width: float
    height: float
    marks: tuple[ChartMark, ...]


def grid_chart(
    labels: Sequence[str],
    counts: Sequence[Sequence[int]],
    *,
    across: str,
    down: str,
    measure: TextMeasure,
) -> FigureChart:
    """A square table of counts, deeper where there are more; numbers in the cells."""
    left = max([measure.width(text, size=FONT) for text in labels], default=0) + PAD * 2
    cell = max(CELL, left)
    top = ROW * 2
    most = max([max(row, default=0) for row in counts], default=0) or 1
    marks = [ChartMark("note", left, ROW * 0.7, text=f"{across} →")]
    for at, text in enumerate(labels):
        x, y = left + (at + 0.5) * cell, top + (at + 0.5) * CELL
        marks.append(ChartMark("text", x, top - 8, text=text, anchor="middle"))
        marks.append(ChartMark("text", left - PAD, y, text=text, anchor="end"))
    for i, row in enumerate(counts):
        for j, n in enumerate(row):
            x, y = left + j * cell, top + i * CELL
            title = f"{down} {labels[i]}, {across} {labels[j]}: {n}"
            share = n / most
            marks.append(
                ChartMark("cell", x, y, x + cell, y + CELL, str(n), title, share)
            )
    size = len(labels)
    bottom = top + size * CELL + ROW
    marks.append(ChartMark("note", left, bottom - 8, text=f"↓ {down}"))
    return FigureChart(left + size * cell + PAD, bottom, tuple(marks))


def bar_chart(
    rows: Sequence[tuple[str, float, str]],
    *,
    measure: TextMeasure,
    longest: int = LONGEST_NAME,
) -> FigureChart:
    """Return a bar for each row: name, value of at least 0, text after it. Names are
    cut after ``longest`` characters."""
    names = [_clipped(name, longest) for name, _value, _text in rows]
    left = max([measure.width(text, size=FONT) for text in names], default=0) + PAD * 2
    most = max([value for _name, value, _text in rows], default=0) or 1
    texts = max([measure.width(text, size=SMALL) for *_, text in rows], default=0)
    marks = [ChartMark("zero", left, PAD, left, PAD + len(rows) * ROW)]
    for at, (name, (full, value, text)) in enumerate(zip(names, rows, strict=True)):
        y, end = PAD + (at + 0.5) * ROW, left + BAR * value / most
        title = f"{full}: {text}"
        marks += [
            ChartMark("text", left - PAD, y, text=name, title=full, anchor="end"),
            ChartMark("bar", left, y - ROW * 0.3, end, y + ROW * 0.3, title=title),
            ChartMark("note", end + 6, y + 4, text=text),
        ]
    return FigureChart(
        left + BAR + texts + PAD * 2, PAD * 2 + len(rows) * ROW, tuple(marks)
    )


def _clipped(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def interval_chart(
    rows: Sequence[tuple[str, float | None, float | None, float | None]],
    *,
    low: float,
    high: float,
    ticks: Sequence[float],
    measure: TextMeasure,
    percent: bool = True,
    series: Sequence[str] = (),
) -> FigureChart:
    """A dot and a whisker for each row (name, value, low, high); None draws no dot.

    ``series``: what the rows are in turn, by colour and sign; their names are below.
    Only the first of each turn has its name drawn.
    """
    left = max([measure.width(row[0], size=FONT) for row in rows], default=0) + PAD * 2
    turn, gap = max(len(series), 1), ROW * 0.6 if series else ROW
    places = [
        PAD + (at + 0.5) * gap + at // turn * PAD * bool(series)
        for at in range(len(rows))
    ]
    bottom = places[-1] + gap / 2 if places else PAD

    def place(value: float) -> float:
        part = (min(max(value, low), high) - low) / ((high - low) or 1)
        return left + part * PLOT

    marks = []
    for tick in ticks:
        text = _number(tick, percent=percent)
        kind = "zero" if tick == 0 and low < 0 else "tick"
        marks.append(ChartMark(kind, place(tick), PAD, place(tick), bottom))
        marks.append(
            ChartMark("note", place(tick), bottom + 18, text=text, anchor="middle")
        )
    for at, (name, value, least, most) in enumerate(rows):
        y, which = places[at], at % turn
        if not which:
            marks.append(ChartMark("text", left - PAD, y, text=name, anchor="end"))
        if value is None:
            marks.append(ChartMark("note", place(low) + 6, y + 4, text="no value"))
            continue
        if least is not None and most is not None:
            ends = (place(least), y, place(most), y)
            marks.append(ChartMark("whisker", *ends, series=which))
        shown = f"{value:.1%}" if percent else f"{value:.2f}"
        title = ", ".join(filter(None, [name, *series[which : which + 1]]))
        marks.append(
            ChartMark("dot", place(value), y, title=f"{title}: {shown}", series=which)
        )
    x = left
    for at, text in enumerate(series):
        marks.append(ChartMark("name", x + 10, bottom + ROW + 14, text=text, series=at))
        x += measure.width(text, size=SMALL) + PAD * 4
    height = bottom + ROW + (ROW if series else 0)
    return FigureChart(max(left + PLOT, x) + PAD * 4, height, tuple(marks))


def line_chart(
    series: Sequence[tuple[str, Sequence[float | None]]],
    ticks_x: Sequence[str],
    *,
    low: float,
    high: float,
    ticks_y: Sequence[float],
    measure: TextMeasure,
    note_x: str = "",
    percent: bool = True,
    flags: Sequence[Flag] = (),
    plot: float = PLOT * 1.35,
) -> FigureChart:
    """A line for each series over the same places; it passes over values of None.
    ``plot``: the width that the lines take.

    Names are at the right ends, moved apart so that none covers another.
    """
    left, top = 56.0, PAD
    deep = max(240.0, len(series) * (SMALL + 4) + 4)
    step = plot / max(len(ticks_x) - 1, 1)
    wide = step * max(len(ticks_x) - 1, 1)

    def y_of(value: float) -> float:
        part = (min(max(value, low), high) - low) / ((high - low) or 1)
        return top + deep * (1 - part)

    marks = []
    for tick in ticks_y:
        kind = "zero" if tick == 0 and low < 0 else "tick"
        marks += _across(kind, left, wide, y_of(tick), _number(tick, percent=percent))
    marks += _below(ticks_x, left, step, top + deep)
    marks.append(ChartMark("note", left, top + deep + 40, text=note_x))
    ends: list[tuple[float, int, str]] = []
    xs = [left + i * step for i in range(len(ticks_x))]
    for at, (name, values) in enumerate(series):
        held = ((x, v) for x, v in zip(xs, values, strict=False) if v is not None)
        path = tuple((x, y_of(v)) for x, v in held)
        if path:
            line = ChartMark("line", *path[0], series=at, title=name, points=path)
            marks.append(line)
            ends.append((path[-1][1], at, name))
            marks += _flags([f for f in flags if f.series == at], path, left, step)
    marks += _names(ends, left + wide + 14, top + deep + 4)
    name_w = max([measure.width(name, size=SMALL) for name, _ in series], default=0)
    return FigureChart(left + wide + name_w + 52, top + deep + 52, tuple(marks))


def _number(tick: float, *, percent: bool) -> str:
    return f"{tick:.0%}" if percent else f"{tick:g}"


def _across(
    kind: str, left: float, wide: float, y: float, text: str
) -> list[ChartMark]:
    """A line at a value of the y axis, with the value before it."""
    line = ChartMark(kind, left, y, left + wide, y)
    return [line, ChartMark("note", left - 8, y + 4, text=text, anchor="end")]


def _flags(
    flags: Sequence[Flag], path: Sequence[tuple[float, float]], left: float, step: float
) -> list[ChartMark]:
    """Signs on a line, where it runs at their place."""
    xs, ys = zip(*path, strict=True)
    marks = []
    for flag in flags:
        x = min(max(left + flag.place * step, xs[0]), xs[-1])
        y = float(np.interp(x, xs, ys))
        marks.append(
            ChartMark(
                "flag", x, y, text=flag.text, title=flag.title, series=flag.series
            )
        )
    return marks


def _below(texts: Sequence[str], left: float, step: float, y: float) -> list[ChartMark]:
    """The labels below the positions of the x axis."""
    return [
        ChartMark("note", left + at * step, y + 18, text=text, anchor="middle")
        for at, text in enumerate(texts)
    ]


def _names(
    ends: list[tuple[float, int, str]], x: float, bottom: float
) -> list[ChartMark]:
    """Names by the ends of their lines, pushed down, then back up from ``bottom``."""
    gap = SMALL + 4
    ordered = sorted(ends)
    ys: list[float] = []
    for y, _, _ in ordered:
        ys.append(max(y + 4, ys[-1] + gap if ys else gap))
    limit = bottom
    for at in range(len(ys) - 1, -1, -1):
        ys[at] = min(ys[at], limit)
        limit = ys[at] - gap
    return [
        ChartMark("name", x, y, text=name, series=at)
        for y, (_, at, name) in zip(ys, ordered, strict=True)
    ]
