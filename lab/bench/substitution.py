"""How fast words find substitutes. Run as ``python -m lab bench substitution``.

A made-up corpus with word frequencies after Zipf, of the size that the engine is built
for: 5,000 query words by 5,000 candidates over 12,000 context words. With ``--engine``,
``--linking`` and ``--text``: what substitution costs next to parsing, on real
sentences.
"""

import argparse
import json
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from core.data.tokens import Sentence
from core.parsing import registry
from core.parsing.bllip import BllipParser
from core.protocols import Capability
from core.substitution import linking
from core.substitution.divergence import Definitions, definitions, divergences
from core.substitution.linking import LinkingCounts
from core.substitution.options import Options
from core.substitution.substituting import Substituting

WANT: frozenset[Capability] = frozenset({"constituents", "tags"})


def corpus(n_words: int, n_tokens: int, seed: int) -> LinkingCounts:
    """Return counts of a random text: word ranks after Zipf, random neighbours."""
    p = 1.0 / np.arange(1, n_words + 1)
    stream = np.random.default_rng(seed).choice(n_words, n_tokens, p=p / p.sum())
    codes, times = np.unique(stream[:-1] * n_words + stream[1:], return_counts=True)
    return LinkingCounts(
        tuple(map(str, range(n_words))),
        np.bincount(stream, minlength=n_words),
        (codes // n_words).astype(np.int32),
        (codes % n_words).astype(np.int32),
        times.astype(np.int32),
    )


def measured(n: int, n_contexts: int, n_tokens: int) -> dict[str, float]:
    """Return CPU seconds and peak memory; the corpus is made in another process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        size = max(n_contexts, 2 * n) + 2_000
        counts = pool.submit(corpus, size, n_tokens, 1).result()
    contexts = range(n_contexts)
    tiny: Definitions = definitions(counts, [0], contexts)
    divergences(tiny, tiny, alpha=0.1)  # compile
    del counts.__dict__["by_second"]
    start = time.process_time()
    queries = definitions(counts, range(2_000, 2_000 + n), contexts)
    candidates = definitions(counts, range(0, n), contexts)
    built = time.process_time()
    divergences(queries, candidates, alpha=0.1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "queries": n,
        "contexts": n_contexts,
        "bigram_types": len(counts.first),
        "query_cells": len(queries.cells),
        "definitions_cpu_s": round(built - start, 2),
        "divergences_cpu_s": round(time.process_time() - built, 2),
        "peak_mb": round(peak / 1024),
    }


def beside_parsing(
    engine: str, counts: LinkingCounts, lines: list[str], method: Any
) -> dict[str, Any]:
    """CPU seconds to find substitutes for all words of the text, and to parse it once,
    in both less what the first sentence takes, with which all is loaded."""
    sentences = [Sentence.of(line) for line in lines if line.strip()]
    substituting = Substituting(registry.chosen(engine), counts, Options(method=method))
    start = time.process_time()
    substituting.plan(sentences[0])
    ready = time.process_time()
    plans = substituting.plans(sentences)
    planned = time.process_time()
    parsing_cpu(engine, sentences[:1])  # compile
    parsing = parsing_cpu(engine, sentences) - parsing_cpu(engine, sentences[:1])
    return {
        "sentences": len(sentences),
        "query_words": sum(len(plan.queries) for plan in plans),
        "first_sentence_cpu_s": round(ready - start, 2),
        "substitution_cpu_s": round(planned - ready, 2),
        "parsing_cpu_s": round(parsing, 2),
        "ratio": round((planned - ready) / parsing, 3),
    }


def parsing_cpu(engine: str, sentences: list[Sentence]) -> float:
    """Return CPU seconds of this process and of a parser's own, loading included."""
    parser = registry.chosen(engine)
    start = cpu()
    parser.analyse(sentences, want=WANT)
    if isinstance(parser, BllipParser):
        parser.close()
    return cpu() - start


def cpu() -> float:
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(who).ru_utime for who in both)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=5_000)
    parser.add_argument("--contexts", type=int, default=12_000)
    parser.add_argument("--tokens", type=int, default=12_000_000)
    parser.add_argument("--engine", help="a parser or a model folder")
    parser.add_argument("--linking", type=Path, help="counts, as --cache keeps them")
    parser.add_argument("--text", type=Path, help="one tokenised sentence a line")
    parser.add_argument("--method", default=Options().method)
    given = parser.parse_args()
    if given.engine:
        counts, lines = linking.load(given.linking), given.text.read_text().splitlines()
        figures = beside_parsing(given.engine, counts, lines, given.method)
    else:
        figures = measured(given.words, given.contexts, given.tokens)
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
