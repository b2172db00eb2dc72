"""Table 3 of Choe & McClosky 2015: how many pairs, how long, how many words linked."""

from collections.abc import Iterator, Sequence

import numpy as np

from core.errors import InvalidValue
from core.evaluation.joint.fit import Bench
from core.evaluation.joint.scores import JointCase

__all__ = ["data_lines", "statistics", "within"]

DATA = ("pairs", "tokens", "of para.", "a source", "aligned", "6-25")
"""Table 3: pairs, tokens of the sources and of the paraphrases, tokens a source, tokens
of it that are aligned, and how many sources have 6 to 25 tokens, as all the paper's."""
PAPER_DATA = dict(zip(DATA, (2000, 26549, 27020, 13.3, 9.7, 2000), strict=True))


def data_lines(data: dict[str, dict[str, float]]) -> Iterator[str]:
    """Table 3: the paper's development part, and our pairs."""
    yield ""
    yield (
        "Table 3: the data, tokens with punctuation (the paper's development part, its "
        "aligner Meteor; out-of-vocabulary rates are not measured here)"
    )
    yield f"{'':20}" + "".join(f"{name:>9}" for name in DATA)
    for name, row in {"paper, all": PAPER_DATA, **data}.items():
        cells = (f"{row[key]:.10g}" for key in DATA)
        yield f"  {name:18}" + "".join(f"{cell:>9}" for cell in cells)


def statistics(bench: Bench) -> dict[str, dict[str, float]]:
    """Table 3 of all pairs and by corpus; ``6-25``: sources of 6 to 25 tokens."""
    rows = {}
    for name in ("all", *sorted({case.corpus for case in bench.cases})):
        some = [
            (len(case.source.sentence), len(case.target.sentence), len(links))
            for case, links in zip(bench.cases, bench.links, strict=True)
            if name in ("all", case.corpus)
        ]
        sums = np.array(some).sum(0).tolist()
        drawn = sum(6 <= source <= 25 for source, _, _ in some)
        figures = (
            len(some),
            *sums[:2],
            sums[0] / len(some),
            sums[2] / len(some),
            drawn,
        )
        rows[name] = {k: round(x, 1) for k, x in zip(DATA, figures, strict=True)}
    return rows


def within(cases: list[JointCase], words: Sequence[int] | None) -> list[JointCase]:
    """The cases with so many words in the source; raises InvalidValue if none has."""
    if not words:
        return cases
    least, most = words
    kept = [one for one in cases if least <= len(one.source.sentence) <= most]
    if not kept:
        raise InvalidValue(
            f"--words {least} {most}: no pair has a source of that length"
        )
    return kept
