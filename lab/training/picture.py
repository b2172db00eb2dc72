"""Training curves and reliability diagrams as SVG, readable without colour."""

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

from lab.training.calibrate import Reliability

WIDTH, HEIGHT, LEFT, TOP, COLUMNS = 420, 260, 52, 30, 2
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "10 4", "12 3 2 3 2 3")
Series = dict[str, list[tuple[float, float]]]


def curves(log: Path) -> str:
    """Draw the losses and the dev scores of ``curves.jsonl`` side by side."""
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    losses: Series = {}
    scores: Series = {}
    for row in rows:
        minutes = row["seconds"] / 60
        for name, value in row.get("loss", {}).items():
            losses.setdefault(name, []).append((minutes, min(value, 1.0)))
        for name, value in row.get("dev", {}).items():
            if name.rpartition(".")[2] in ("uas", "las", "f1", "xpos"):
                scores.setdefault(name, []).append((minutes, value))
    panels = [
        _panel(losses, title="loss, nats a word (cut at 1)", x="minutes", at=0),
        _panel(scores, title="dev scores, percent", x="minutes", at=1),
    ]
    return _document(panels)


def reliability_plot(plots: dict[str, Reliability]) -> str:
    """Draw the share of right claims over confidence, a panel each."""
    panels = []
    for at, (title, plot) in enumerate(plots.items()):
        points = list(zip(plot.confidence, plot.share, strict=True))
        series = {
            f"error {plot.error:.3f}": points,
            "perfect": [(0.0, 0.0), (1.0, 1.0)],
        }
        panels.append(_panel(series, title=title, x="confidence", at=at))
    return _document(panels)


def _document(panels: Sequence[str]) -> str:
    width, height = COLUMNS * (WIDTH + 20), -(-len(panels) // COLUMNS) * (HEIGHT + 70)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" font-family="sans-serif" font-size="11">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(panels)}</svg>\n'
    )


def _panel(series: Series, *, title: str, x: str, at: int) -> str:
    points = [point for line in series.values() for point in line] or [(0.0, 0.0)]
    low_x, high_x = _range([p[0] for p in points])
    low_y, high_y = _range([p[1] for p in points])

    def place(point: tuple[float, float]) -> str:
        right = (point[0] - low_x) / (high_x - low_x) * (WIDTH - LEFT - 10)
        up = (point[1] - low_y) / (high_y - low_y) * (HEIGHT - TOP - 20)
        return f"{LEFT + right:.1f},{HEIGHT - 20 - up:.1f}"

    marks = [f'<text x="{LEFT}" y="18" font-weight="bold">{escape(title)}</text>']
    for share in (0.0, 0.5, 1.0):
        value = low_y + share * (high_y - low_y)
        spot = place((low_x, value)).split(",")[1]
        marks.append(f'<text x="4" y="{spot}">{value:.3g}</text>')
        value = low_x + share * (high_x - low_x)
        spot = place((value, low_y)).split(",")[0]
        marks.append(f'<text x="{spot}" y="{HEIGHT - 4}">{value:.3g}</text>')
    marks.append(f'<text x="{WIDTH // 2}" y="{HEIGHT + 10}">{escape(x)}</text>')
    for n, (name, line) in enumerate(series.items()):
        stroke = (
            f'fill="none" stroke="{COLOURS[n % 7]}" stroke-width="1.6" '
            f'stroke-dasharray="{DASHES[n % 7]}"'
        )
        path = " ".join(place(point) for point in line)
        marks.append(f'<polyline points="{path}" {stroke}/>')
        marks.append(_key(n, name, stroke))
    across, down = at % COLUMNS * (WIDTH + 20), at // COLUMNS * (HEIGHT + 70)
    return f'<g transform="translate({across} {down})">{"".join(marks)}</g>'


def _key(n: int, name: str, stroke: str) -> str:
    """Draw an entry of the key: a piece of the line and its name."""
    x, y = LEFT + (n % 3) * 120, HEIGHT + 26 + n // 3 * 14
    return (
        f'<path d="M{x} {y - 4}h28" {stroke}/>'
        f'<text x="{x + 33}" y="{y}">{escape(name)}</text>'
    )


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low, low + 1.0)
