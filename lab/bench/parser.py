"""How fast the shipped parser is on 25-token sentences, and where the time goes.

    python lab/bench/parser.py [--sentences N] [--model FOLDER]

First the whole path on all cores: tokens to 1-best tree and arcs; then tokens to packed
forest, marginals and 50 best trees. Then the shares on one core: word pieces, network,
and what turns scores into trees. Last the peak memory of the process.
"""

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path

from core.data.tokens import Sentence
from core.dependencies.mst import mst, tree_marginals
from core.forests.cky import cky, log_partition
from core.forests.inside import forest_marginals
from core.forests.kbest import best_trees
from core.forests.packing import span_forest
from core.parsing.english import STYLED
from core.parsing.neural import NeuralParser, cut, square
from core.protocols import Analysis, Capability

PLAIN: frozenset[Capability] = frozenset({"constituents", "dependencies", "tags"})
ALL: frozenset[Capability] = PLAIN | {"forest"}
SUBJECTS = ("the old baker", "my sister", "every young teacher", "a tired nurse")
VERBS = ("said", "wrote", "believed", "noticed")
THINGS = ("the keys on the table", "a letter from home", "three boxes of tea")
ENDS = ("before the rain stopped", "while we were at school", "after the long meeting")


def sentences(n: int) -> list[Sentence]:
    """Return ``n`` sentences of 25 tokens, composed of parts."""
    batch = []
    for i in range(n):
        thing, end = THINGS[i // 7 % 3], ENDS[i // 3 % 3]
        text = (
            f"{SUBJECTS[i % 4]} {VERBS[i // 4 % 4]} that {SUBJECTS[(i + 1) % 4]} had "
            f"found {thing} {end} , and nobody knew what to do with it all any more"
        )
        batch.append(Sentence.of([*text.split()[:24], "."]))
    return batch


def best_of(work: Callable[[], object], clock: Callable[[], float]) -> float:
    """Return the seconds of the fastest of three runs."""
    spent = []
    for _ in range(3):
        start = clock()
        work()
        spent.append(clock() - start)
    return min(spent)


def whole(parser: NeuralParser, given: list[Sentence]) -> None:
    def one_best() -> None:
        parser.analyse(given, want=PLAIN)

    def everything() -> None:
        for answer in parser.analyse(given, want=ALL):
            assert isinstance(answer, Analysis)
            forest, weights = answer.forest, answer.edge_weights
            assert forest is not None
            assert weights is not None
            assert answer.deps is not None
            assert answer.deps.arcs is not None
            forest_marginals(forest, weights)
            tree_marginals(answer.deps.arcs)
            words = answer.sentence.forms
            best_trees(forest, weights, 50, words=words, tags=answer.xpos)

    for name, work in (("1-best", one_best), ("forest, 50-best", everything)):
        work()
        rate = len(given) / best_of(work, time.perf_counter)
        a_core = len(given) / best_of(work, time.process_time)
        print(f"{name:18} {rate:7.0f} sentences/s, all cores")
        print(f"{'':18} {a_core:7.0f} sentences a second of CPU time")


def shares(parser: NeuralParser, given: list[Sentence]) -> None:
    model = parser.model
    forms = [sentence.forms for sentence in given]
    pieces = model.subwords.encode(forms)
    batches = list(cut(range(len(given)), pieces))
    raws = [model.run([pieces[i] for i in batch]) for batch in batches]
    rows = [
        (raw, b)
        for raw, batch in zip(raws, batches, strict=True)
        for b in range(len(batch))
    ]
    spans = [square(raw["spans"][b], 25, raw["starts"], raw["ends"]) for raw, b in rows]
    arcs = [raw["arcs"][b].astype(float) for raw, b in rows]
    names = model.labels["spans"]
    forests = [span_forest(scores, names) for scores in spans]
    tags = ("X",) * 25
    steps: dict[str, Callable[[], object]] = {
        "word pieces": lambda: model.subwords.encode(forms),
        "network": lambda: [model.run([pieces[i] for i in b]) for b in batches],
        "best bracketing": lambda: [cky(scores) for scores in spans],
        "log partition": lambda: [log_partition(scores) for scores in spans],
        "best arborescence": lambda: [mst(a) for a in arcs],
        "packed forest": lambda: [span_forest(scores, names) for scores in spans],
        "forest marginals": lambda: [forest_marginals(*forest) for forest in forests],
        "arc marginals": lambda: [tree_marginals(a) for a in arcs],
        "50 best trees": lambda: [
            best_trees(*forest, 50, words=form, tags=tags)
            for forest, form in zip(forests, forms, strict=True)
        ],
    }
    for name, step in steps.items():
        spent = 1000 * best_of(step, time.process_time) / len(given)
        print(f"{name:18} {spent:7.3f} ms of one core a sentence")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sentences", type=int, default=512)
    options.add_argument("--model", type=Path, default=STYLED)
    given = options.parse_args()
    parser = NeuralParser(given.model)
    made = sentences(given.sentences)
    whole(parser, made)
    shares(parser, made[:128])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'peak memory':18} {peak:7.0f} MB")


if __name__ == "__main__":
    main()
