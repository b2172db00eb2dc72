"""Charts: marks lie inside, in order, and where the values say."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.svg import charts
from core.layout.charts import (
    FigureChart,
    Flag,
    bar_chart,
    grid_chart,
    interval_chart,
    line_chart,
)
from core.layout.measure import GlyphTable

MEASURE = GlyphTable()
names = st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=8, unique=True)
shares = st.floats(0, 1)


def inside(chart: FigureChart) -> None:
    for mark in chart.marks:
        assert 0 <= mark.x <= chart.width
        assert 0 <= mark.y <= chart.height
        for x, y in mark.points:
            assert 0 <= x <= chart.width
            assert 0 <= y <= chart.height


@given(names, st.data())
def test_intervals_hold_their_values(rows: list[str], draw: st.DataObject) -> None:
    values = []
    for name in rows:
        low, value, high = sorted(draw.draw(st.tuples(shares, shares, shares)))
        values.append((name, value, low, high))
    chart = interval_chart(values, low=0, high=1, ticks=[0, 1], measure=MEASURE)
    inside(chart)
    dots = [m for m in chart.marks if m.kind == "dot"]
    whiskers = [m for m in chart.marks if m.kind == "whisker"]
    assert [m.y for m in dots] == sorted(m.y for m in dots)
    for dot, whisker in zip(dots, whiskers, strict=True):
        assert whisker.x - 1e-6 <= dot.x <= whisker.x2 + 1e-6


def test_a_row_without_a_value_says_so() -> None:
    rows = [("none", None, None, None)]
    chart = interval_chart(rows, low=0, high=1, ticks=[], measure=MEASURE)
    assert [m.text for m in chart.marks if m.kind == "note"] == ["no value"]


@given(st.lists(st.lists(shares, min_size=5, max_size=5), min_size=1, max_size=12))
def test_names_of_lines_do_not_cover_each_other(rows: list[list[float]]) -> None:
    series = [(f"line {i}", values) for i, values in enumerate(rows)]
    chart = line_chart(
        series, list("abcde"), low=0, high=1, ticks_y=[0, 1], measure=MEASURE
    )
    ends = sorted(m.y for m in chart.marks if m.kind == "name")
    assert all(b - a >= 11.4 for a, b in pairwise(ends))
    higher = {m.series: m.points for m in chart.marks if m.kind == "line"}
    for at, values in enumerate(rows):
        y = [point[1] for point in higher[at]]
        for i in range(4):
            assert (values[i] <= values[i + 1]) or (y[i] <= y[i + 1])
    inside(chart)


def test_cells_of_a_grid_do_not_overlap_and_the_deepest_is_the_greatest() -> None:
    counts = [[1, 9], [4, 0]]
    chart = grid_chart(["a", "b"], counts, across="B", down="A", measure=MEASURE)
    cells = [m for m in chart.marks if m.kind == "cell"]
    assert [m.text for m in cells] == ["1", "9", "4", "0"]
    assert max(cells, key=lambda m: m.share).text == "9"
    assert cells[0].x2 == cells[1].x
    assert cells[0].y2 == cells[2].y
    assert cells[1].title == "A a, B b: 9"
    inside(chart)


@given(names)
def test_drawings_are_xml_with_title_and_description(labels: list[str]) -> None:
    counts = [[1] * len(labels)] * len(labels)
    chart = grid_chart(labels, counts, across="<b>", down='"a"', measure=MEASURE)
    svg = charts.draw(chart, title="T <", desc="D & d")
    root = ET.fromstring(svg)
    texts = {child.tag.rpartition("}")[2]: child.text for child in root}
    assert (texts["title"], texts["desc"]) == ("T <", "D & d")
    assert root.get("role") == "img"


@pytest.mark.parametrize("kind", ["interval", "line"])
def test_a_drawing_is_the_same_every_time(kind: str, golden) -> None:
    if kind == "interval":
        rows = [("baseline", 0.3, 0.25, 0.36), ("syntax", 0.5, None, None)]
        chart = interval_chart(rows, low=0, high=1, ticks=[0, 0.5, 1], measure=MEASURE)
    else:
        lines = [("ann", [0.1, None, -0.2]), ("ben", [0.0, 0.3, 0.1])]
        chart = line_chart(
            lines,
            ["1", "2", "3"],
            low=-0.5,
            high=0.5,
            ticks_y=[-0.5, 0, 0.5],
            measure=MEASURE,
            percent=False,
        )
    golden(f"chart_{kind}.svg", charts.draw(chart, title="A chart", desc="Of lines"))


def test_twelve_lines_differ_without_their_colour_or_with_it() -> None:
    looks = set()
    for at in range(12):
        colour, dash = charts._series(at)
        looks.add((colour, dash))
    assert len(looks) == 12


def test_a_flag_stands_on_its_line() -> None:
    chart = line_chart(
        [("A1", [0.0, 1.0]), ("A2", [None, 0.5, 0.5])],
        ["1", "2", "3"],
        low=0.0,
        high=1.0,
        ticks_y=[0.0, 1.0],
        measure=MEASURE,
        flags=[Flag(0, 0.25, "g2", "here"), Flag(1, 9.0, "g3", "beyond the end")],
    )
    first, second = (mark for mark in chart.marks if mark.kind == "flag")
    lines = {mark.series: mark.points for mark in chart.marks if mark.kind == "line"}
    (x0, y0), (x1, y1) = lines[0]
    assert (first.x, first.y) == (x0 + (x1 - x0) / 4, y0 + (y1 - y0) / 4)
    assert (second.x, second.y, second.text) == (*lines[1][-1], "g3")


@given(st.lists(st.tuples(st.text(max_size=60), st.integers(0, 10**6)), max_size=15))
def test_bars_are_as_long_as_their_values_and_stay_inside(
    rows: list[tuple[str, int]],
) -> None:
    chart = bar_chart([(name, n, f"{n}") for name, n in rows], measure=MEASURE)
    inside(chart)
    bars = [mark for mark in chart.marks if mark.kind == "bar"]
    most = max([n for _name, n in rows], default=0) or 1
    for (_name, n), bar in zip(rows, bars, strict=True):
        assert bar.x2 - bar.x == pytest.approx(240 * n / most)
        assert bar.x2 <= chart.width
    ET.fromstring(charts.draw(chart, title="bars", desc="all"))
