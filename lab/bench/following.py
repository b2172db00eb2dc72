"""How long the rest of a tree takes to follow a step, at 25 tokens.

    python -m lab bench following [--sentences N] [--parser NAME]

For each sentence the parser's best tree and packed forest; then every phrase in turn is
moved to the parent of its parent, and what follows is decoded: the forest before the
step and after it. In this process, on one core; the time of the request and of the row
is not in it.
"""

import argparse
import statistics
import time

from core.data.tree import Tree
from core.errors import GemelError
from core.forests.constraints import Decisions, decided_by, followed
from core.forests.kbest import trees_of
from core.parsing import registry
from core.protocols import Analysis
from core.trees.editing import Move
from lab.bench.parser import ALL, sentences


def times_of(analysis: Analysis) -> list[float]:
    """Return the milliseconds of each move that the tree allows."""
    if analysis.forest is None or analysis.edge_weights is None:
        return []
    tree = trees_of(analysis, 1)[0][1]
    spent = []
    for v in range(1, len(tree)):
        moved = _raised(tree, v)
        if moved is None:
            continue
        after, at = moved
        decisions = Decisions(frozenset(), frozenset()), decided_by([(tree, after, at)])
        start = time.perf_counter()
        try:
            followed(tree, after, decisions, analysis.forest, analysis.edge_weights)
        except GemelError:
            continue  # the forest has no such tree
        spent.append(1000 * (time.perf_counter() - start))
    return spent


def _raised(tree: Tree, v: int) -> tuple[Tree, int] | None:
    mother = tree.parents[tree.parents[v]]
    if tree.is_leaf(v) or mother < 0:
        return None
    try:
        edited = Move(v, mother).on(tree)
    except GemelError:
        return None
    return edited.tree, edited.at


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--sentences", type=int, default=20)
    asked.add_argument("--parser", default=registry.DEFAULT)
    options = asked.parse_args()
    parser = registry.load(options.parser)
    analyses = parser.analyse(sentences(options.sentences), want=ALL)
    read = [one for one in analyses if isinstance(one, Analysis)]
    spent = sorted(ms for one in read for ms in times_of(one))
    if not spent:
        raise SystemExit("No step could be followed.")
    late = spent[int(0.95 * (len(spent) - 1))]
    print(f"{len(spent)} steps; median {statistics.median(spent):.1f} ms, "
          f"95 % within {late:.1f} ms, slowest {spent[-1]:.1f} ms")  # fmt: skip


if __name__ == "__main__":
    main()
