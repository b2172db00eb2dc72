"""The conditions of Callison-Burch 2008, section 4.3: which paraphrase is best.

    1, 2  baseline       equation 5: whatever the label
    3, 4  extraction     equation 10: the best under any label of the phrase
    5, 6  substitution   equation 8: under any label it has in this sentence
    7, 8  averaged       equation 9: the mean over those labels

The even ones add the log-probability of the whole new sentence under a language model.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol

from core.errors import InvalidValue
from core.pivoting.labels import is_constituent

Condition = Literal[
    "baseline", "extraction", "constituents", "substitution", "averaged"
]
CONDITIONS: tuple[Condition, ...] = (
    "baseline",
    "extraction",
    "substitution",
    "averaged",
)
Label = str | Sequence[str] | None
Row = tuple[str, str, float, int]  # label, paraphrase, p, number of pivots
Ranked = tuple[str, str, float, int, bool]  # paraphrase, label, p, pivots, proven


class Known(Protocol):
    """What pruning may have cost a phrase under one label; see ``table.Head``."""

    @property
    def lost(self) -> float: ...

    @property
    def next(self) -> float: ...

    @property
    def corpora(self) -> int: ...


def rank(
    rows: Iterable[Row],
    condition: Condition,
    labels: Sequence[str],
    heads: Mapping[str, Known],
    *,
    average: bool = False,
) -> list[Ranked]:
    """The paraphrases of a phrase under a condition, best first.

    ``labels``: those of the phrase in its sentence; conditions 5 to 8 use only these. A
    paraphrase gets its most probable label. Equal probabilities are in alphabetical
    order.
    """
    allowed = _allowed(condition, labels, heads)
    divisor = {s: heads[s].corpora if average else 1 for s in allowed}
    if condition == "averaged":
        divisor = {s: many * len(set(labels)) for s, many in divisor.items()}
    by_text: dict[str, list[tuple[float, str, int]]] = defaultdict(list)
    for label, text, p, pivots in rows:
        if label in divisor:
            by_text[text].append((p / divisor[label], label, pivots))
    scored = [
        (text, label, _score(condition, under), pivots)
        for text, under in by_text.items()
        for _, label, pivots in [max(under, key=lambda x: (x[0], x[1]))]
    ]
    scored.sort(key=lambda row: (-row[2], row[0]))
    return _proven(scored, condition, [(heads[s], divisor[s]) for s in divisor])


def _allowed(
    condition: Condition, labels: Sequence[str], heads: Mapping[str, Known]
) -> list[str]:
    """Labels of the phrase that the condition looks at."""
    if condition == "baseline":
        return [s for s in heads if not s]
    if condition == "extraction":
        return [s for s in heads if s]
    if condition == "constituents":
        return [s for s in heads if s and is_constituent(s)]
    if condition in ("substitution", "averaged"):
        return [s for s in dict.fromkeys(labels) if s in heads]
    raise InvalidValue(f"there is no condition {condition!r}")


def _score(condition: Condition, under: Sequence[tuple[float, str, int]]) -> float:
    values = [p for p, _, _ in under]
    return sum(values) if condition == "averaged" else max(values)


def _proven(
    scored: Sequence[tuple[str, str, float, int]],
    condition: Condition,
    heads: Sequence[tuple[Known, int]],
) -> list[Ranked]:
    """Which ranks no pruned paraphrase can disturb.

    A stored probability is too low by at most ``lost``, one that is not stored is at
    most ``next + lost``. So a rank holds if the one after it, and any that is not
    there, stays below it with all that it may have lost.
    """
    join = sum if condition == "averaged" else lambda x: max(x, default=0.0)
    slack = join([head.lost / by for head, by in heads])
    unseen = join([(head.next + head.lost) / by for head, by in heads])
    hidden = slack if condition != "averaged" else unseen
    ranked: list[Ranked] = []
    certain = True
    for at, (text, label, p, pivots) in enumerate(scored):
        after = scored[at + 1][2] + hidden if at + 1 < len(scored) else 0.0
        certain = certain and p >= max(after, unseen)
        ranked.append((text, label, p, pivots, certain))
    return ranked
