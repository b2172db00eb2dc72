"""How fast a PCFG is, as a ratio to BLLIP's first stage, and how fast it is trained.

    python -m lab bench pcfg --ptb PATH … [--bllip FOLDER] [--gold PATH …]

CPU seconds of one core, loading left out: training on the treebank; then 1-best trees,
then forests, of the gold sentences (at most 40 tokens) or of made-up ones; then the
same sentences by BLLIP, if a model of it is given.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from core.data.tokens import Sentence
from core.evaluation.golds import read_golds
from core.parsing import registry
from core.parsing.bllip import BllipParser
from core.parsing.pcfg.training import examples_of, write
from core.protocols import Capability, ParserBackend
from lab.bench.parser import sentences

PLAIN: frozenset[Capability] = frozenset({"constituents", "tags"})
ALL: frozenset[Capability] = PLAIN | {"forest"}


def spent(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def bllip_seconds(folder: Path, given: list[Sentence]) -> float:
    """Return the CPU seconds of its process for all sentences, minus those for one."""

    def run(some: list[Sentence]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        backend = BllipParser(folder)
        backend.analyse(some, want=PLAIN)
        backend.close()
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    return run(given) - run(given[:1])


def trained(ptb: list[Path], out: Path) -> ParserBackend:
    golds, _ = read_golds(ptb, format="ptb")
    trees = [(gold.sentence.forms, gold.tree) for gold in golds if gold.tree]
    facts = {"name": "bench", "version": "1", "languages": ["und"], "licence": "-"}
    seconds = spent(lambda: write(out, examples_of(trees), facts))
    print(f"training on {len(trees)} trees {seconds:10.1f} s")
    return registry.at(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptb", nargs="+", type=Path, required=True)
    parser.add_argument("--gold", nargs="+", type=Path)
    parser.add_argument("--bllip", type=Path)
    parser.add_argument("--sentences", type=int, default=200)
    options = parser.parse_args()
    given = sentences(options.sentences)
    if options.gold:
        golds, _ = read_golds(options.gold, format="ptb")
        given = [one.sentence for one in golds if len(one.sentence) <= 40]
        given = given[: options.sentences]
    with tempfile.TemporaryDirectory() as folder:
        backend = trained(options.ptb, Path(folder) / "model")
        backend.analyse(given[:2], want=ALL)  # compiled, loaded
        best = spent(lambda: backend.analyse(given, want=PLAIN))
        forests = spent(lambda: backend.analyse(given, want=ALL))
    print(f"pcfg, 1-best tree          {len(given) / best:10.1f} sentences/s")
    print(f"pcfg, forest as well       {len(given) / forests:10.1f} sentences/s")
    if options.bllip:
        bllip = bllip_seconds(options.bllip, given)
        print(f"BLLIP, 1-best tree         {len(given) / bllip:10.1f} sentences/s")
        print(f"ratio                      {bllip / best:10.1f}")


if __name__ == "__main__":
    main()
