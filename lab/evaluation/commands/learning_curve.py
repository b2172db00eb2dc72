"""``evaluate learning-curve``: what a parser learns, by the order of correcting."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import FormatError
from core.evaluation.golds import read_golds
from core.parsing.pcfg.grammar import Sample
from core.parsing.pcfg.training import examples_of
from core.parsing.registry import Say
from lab.evaluation.active import (
    PLAYED,
    RANDOM,
    LearningPlan,
    LearningPoint,
    area,
    play,
)

HELP = "a PCFG that learns from the trees corrected so far, by the order of correcting"
Curve = list[LearningPoint]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add, plan = parser.add_argument, LearningPlan()
    add("--gold", nargs="+", type=Path, required=True, metavar="PATH", help="the pool")
    add("--held-back", nargs="+", type=Path, required=True, metavar="PATH")
    add("--max-tokens", type=int, default=40, help="skip sentences longer than this")
    add("--every", type=int, default=1, help="one held-back sentence in so many")
    add("--first", type=int, default=plan.first, help="words to begin with")
    add("--step", type=int, default=plan.step, help="words corrected in a round")
    add("--rounds", type=int, default=plan.rounds)
    add("--drawn", type=int, default=plan.drawn, help="unread sentences parsed a round")
    add("--seeds", type=int, default=3, help="how often each order is played")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Every order with the same seeds; the means of their curves, and how their areas
    differ from a random order's with the same seed."""
    pool = _samples(options["gold"], options["max_tokens"])
    held = _samples(options["held_back"], options["max_tokens"])[:: options["every"]]
    plan = LearningPlan(
        *(options[name] for name in ("first", "step", "rounds", "drawn"))
    )
    curves: dict[str, list[Curve]] = {order: [] for order in PLAYED}
    for seed in range(1, options["seeds"] + 1):
        for order in PLAYED:
            curve = list(play(pool, held, order, plan=plan, seed=seed))
            curves[order].append(curve)
            say(f"seed {seed}, {order}: area {area(curve):.2f}")
    return {
        "pool": len(pool),
        "held_back": len(held),
        "seeds": options["seeds"],
        "orders": {order: _order(curves, order) for order in PLAYED},
    }


def _samples(paths: Sequence[Path], max_tokens: int) -> list[Sample]:
    golds, _ = read_golds(paths)
    trees = [(gold.sentence.forms, gold.tree) for gold in golds if gold.tree]
    samples = examples_of(trees).samples
    kept = [one for one in samples if one.end <= max_tokens]
    if not kept:
        raise FormatError(f"no tree of at most {max_tokens} words; see --max-tokens")
    return kept


def _order(curves: dict[str, list[Curve]], order: str) -> dict[str, Any]:
    areas = np.array([area(curve) for curve in curves[order]])
    gains = areas - [area(curve) for curve in curves[RANDOM]]
    return {
        "area": round(float(areas.mean()), 2),
        "gain": round(float(gains.mean()), 2),
        "gains": gains.round(2).tolist(),
        "points": [_mean(points) for points in zip(*curves[order], strict=False)],
    }


def _mean(points: Sequence[LearningPoint]) -> dict[str, float]:
    names = ("words", "sentences", "corrections", "f1", "tags")
    means = [np.mean([getattr(one, name) for one in points]) for name in names]
    return {name: round(float(y), 2) for name, y in zip(names, means, strict=True)}


def lines(results: dict[str, Any]) -> Iterator[str]:
    """Yield a line per order: area, gain over random, end of its curve."""
    counts = ("pool", "held_back", "seeds")
    yield ", ".join(f"{results[name]} {name.replace('_', ' ')}" for name in counts)
    yield f"{'order':14}  area   gain (by seed)   words, corrections, F1 at the end"
    for name, one in results["orders"].items():
        end, gains = one["points"][-1], " ".join(f"{y:+.2f}" for y in one["gains"])
        last = f"{end['words']:.0f}, {end['corrections']:.0f}, {end['f1']:.2f}"
        yield f"{name:14}  {one['area']:.2f}  {one['gain']:+.2f} ({gains})  {last}"
