"""Which of equally good biparses: the links of the first found, and of the likeliest,
against those that people drew.

    python -m lab bench itg_ties DIR/msr-rte2-align-dev/RTE2_dev_M.align.txt
"""

import argparse
from pathlib import Path

from core.formats.alignments import msr_rte2
from core.itg.biparse import best_biparse, likeliest_biparse
from core.itg.scores import SCORERS, Scorer
from core.text.wordnet import find_thesaurus

Links = set[tuple[int, int]]


def compare(pairs: list[msr_rte2.Rte2Pair], scorer: Scorer) -> str:
    """Describe how many matches each way links, and how many of them are right."""
    thesaurus, _ = find_thesaurus()
    n_tied, counts = 0, [[0, 0], [0, 0]]
    for pair in pairs:
        view = scorer.view(list(pair.text), list(pair.hypothesis), thesaurus)
        weights = view.weights(scorer.costs, exact=scorer.is_exact)
        both = best_biparse(weights).links, likeliest_biparse(weights).links
        first, likeliest = (set(scorer.matches(view, links)) for links in both)
        gold: Links = {(t, h) for h, t in pair.sure | pair.possible}
        for count, links in zip(counts, (first, likeliest), strict=True):
            count[0] += len(links & gold)
            count[1] += len(links)
        n_tied += first != likeliest
    shown = ", ".join(f"{right} of {n}" for right, n in counts)
    return f"{scorer.name}: {shown} links right; {n_tied} of {len(pairs)} pairs differ"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    with parser.parse_args().file.open(encoding="utf-8") as lines:
        pairs = list(msr_rte2.read(lines))
    for name in ("plain", "thesaurus"):
        print(compare(pairs, SCORERS[name]))


if __name__ == "__main__":
    main()
