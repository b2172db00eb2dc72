"""The sample items, with the quality that was assigned to each, and invented judges.

``items.tsv`` is a file as a campaign takes it; its columns ``true_meaning`` and
``true_grammar``, which no campaign reads, say how good a rendering really is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ITEMS = Path(__file__).with_name("items.tsv")
SCALES = ("meaning", "grammar")
LOW, HIGH = 1, 5
Key = tuple[str, int, int, str]
"""What makes an item: sentence, start and end of the phrase, paraphrase."""


@dataclass(frozen=True, slots=True)
class Judge:
    """An invented judge: ``bias`` and ``spread`` in points, and how often one slips.

    A slip is an answer that has nothing to do with the item.
    """

    name: str
    bias: Mapping[str, float]
    spread: float
    p_slip: float


JUDGES = (
    Judge("ana", {"meaning": 0.0, "grammar": 0.0}, 0.55, 0.01),
    Judge("ben", {"meaning": 0.35, "grammar": 0.1}, 0.75, 0.03),
    Judge("chi", {"meaning": -0.4, "grammar": -0.3}, 0.7, 0.02),
)


def truths(path: Path = ITEMS) -> dict[Key, dict[str, int]]:
    """The assigned values of every item, by scale. Raises ValueError if rows of one
    item differ in them."""
    gold: dict[Key, dict[str, int]] = {}
    for row in _rows(path):
        key = row["sentence"], int(row["start"]), int(row["end"]), row["paraphrase"]
        values = {scale: int(row[f"true_{scale}"]) for scale in SCALES}
        if gold.setdefault(key, values) != values:
            raise ValueError(f"{row['id']}: another row of this item says otherwise")
    return gold


def answers(
    judge: Judge, truth: Mapping[str, int], rng: np.random.Generator
) -> dict[str, int]:
    """A simulated judge's answer: the true value, shifted, blurred and rounded."""
    given = {}
    for scale, value in truth.items():
        blurred = value + judge.bias[scale] + rng.normal(0.0, judge.spread)
        if rng.random() < judge.p_slip:
            blurred = float(rng.integers(LOW, HIGH + 1))
        given[scale] = int(np.clip(np.rint(blurred), LOW, HIGH))
    return given


def _rows(path: Path) -> Iterator[dict[str, str]]:
    names: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if names:
            yield dict(zip(names, cells, strict=True))
        names = names or cells
