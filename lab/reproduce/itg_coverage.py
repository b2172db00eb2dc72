"""The ITG hypothesis, measured: what share of human alignments ITG can express."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.figures import resample
from core.data.check import Floats
from core.errors import InvalidValue
from core.parsing.registry import Say
from lab.bars import Bar, BarChart
from lab.reproduce.coverage import coverage
from lab.reproduce.gold_links import GOLD, ONE, TWO, GoldSet

HELP = "the share of human word alignments that ITG can express, by language pair"
SEED = 1997
GROUPS = (ONE, TWO)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, help="has word-align-gold/")
    parser.add_argument("--replicates", type=int, default=1000)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return a row per available set: shares in percent with 95 % intervals."""
    rows, missing = [], []
    for gold in GOLD:
        path = options["data"] / gold.path
        if path.exists():
            rows.append(_measure(gold, path, options["replicates"]))
            say(f"{gold.name}: measured")
        else:
            missing.append(gold.path)
    if not rows:
        raise InvalidValue(f"{options['data']}: holds none of {', '.join(missing)}")
    return {"sets": rows, "missing": missing}


def _measure(gold: GoldSet, path: Path, replicates: int) -> dict[str, Any]:
    coverages = [coverage(links) for links in gold.read(path) if links]
    table = np.array(
        [
            (c.n_links, c.n_single, c.n_built, c.n_built == c.n_single, c.is_built,
             c.is_split, not c.is_split and not c.is_built, 1)
            for c in coverages
        ],
        dtype=np.float64,
    )  # fmt: skip
    weights = resample(len(coverages), replicates, np.random.default_rng(SEED))
    sums = weights @ table
    return {
        "name": gold.name,
        "languages": gold.languages,
        "pairs": len(coverages),
        "links": int(table[:, 0].sum()),
        "links_one_to_one": int(table[:, 1].sum()),
        "links_covered": _share(sums[:, 2], sums[:, 1]),
        "pairs_covered": _share(sums[:, 3], sums[:, 7]),
        "pairs_built_of_units": _share(sums[:, 4], sums[:, 7]),
        "pairs_split": _share(sums[:, 5], sums[:, 7]),
        "pairs_inside_out": _share(sums[:, 6], sums[:, 7]),
        "lower_bounds": sum(not c.is_exact for c in coverages),
    }


def _share(part: Floats, whole: Floats) -> list[float]:
    """Return the share in percent and the ends of its interval over pairs."""
    column = 100 * part / whole
    low, high = np.quantile(column[1:], (0.025, 0.975))
    return [round(float(x), 2) for x in (column[0], low, high)]


def chart(results: dict[str, Any]) -> BarChart:
    """Return a chart of the share of pairs that a single biparse holds."""
    bars = []
    for row in results["sets"]:
        share, low, high = row["pairs_covered"]
        group = GROUPS.index(row["languages"])
        bars.append(Bar(row["name"], share, low, high, group))
    return BarChart(
        tuple(bars),
        GROUPS,
        title="Pairs whose one-to-one links a single ITG biparse holds",
        desc="Human alignments; lines are 95 % bootstrap intervals over pairs.",
        start=88.0,
    )


def lines(results: dict[str, Any]) -> Iterator[str]:
    """Yield the table, with shares in percent."""
    yield "Human alignments that ITG can express, % (95 % intervals over pairs)"
    yield (
        f"{'':20}{'pairs':>6}{'links':>7}{'links covered':>22}{'pairs covered':>22}"
        f"{'built of units':>22}{'split':>7}{'inside-out':>11}"
    )
    for row in results["sets"]:
        cells = "".join(
            f"{row[key][0]:8.2f} ({row[key][1]:5.1f}-{row[key][2]:5.1f})"
            for key in ("links_covered", "pairs_covered", "pairs_built_of_units")
        )
        rest = f"{row['pairs_split'][0]:7.1f}{row['pairs_inside_out'][0]:11.1f}"
        yield f"{row['name']:20}{row['pairs']:6}{row['links']:7}{cells}{rest}"
    for path in results["missing"]:
        yield f"not there: {path}"
