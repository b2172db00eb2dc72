"""How fast pairs are parsed jointly: ``python -m lab bench joint FILE.tsv``.

FILE: one pair a line, in columns named source and paraphrase, tokens separated by
spaces; pairs are taken whose source has 18 to 22. CPU time on one thread: of the
encoder with its scores (both sentences of a pair), of linking their words, and of each
method with its changes and marginals; dual decomposition alone besides.
"""

import csv
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.data.tokens import Sentence
from core.joint_parsing.duals import DualDecoder, slack_of
from core.joint_parsing.linked import LinkedWords, linked_words
from core.joint_parsing.methods import arcs_of
from core.joint_parsing.parser import WANT, JointParser
from core.joint_parsing.values import METHODS, JointSettings
from core.parsing import english
from core.parsing.neural import NeuralParser
from core.protocols import Analysis
from lab.bench.pairs import file_of_pairs

PAIRS = 200
Pair = tuple[Analysis, Analysis]


def main(path: Path) -> None:
    parser, joint = NeuralParser(english.STYLED, threads=1), JointParser.load()
    texts = _texts(path)
    _analysed(parser, texts[:2])
    encoder, pairs = _timed(lambda: _analysed(parser, texts))
    joint.aligner.align(*pairs[0])
    linking, links = _timed(lambda: [joint.aligner.align(*pair) for pair in pairs])
    seconds = {"encoder": encoder, "links": linking}
    for method in METHODS:
        chosen = JointSettings(method)

        def work(chosen: JointSettings = chosen) -> None:
            for pair, own in zip(pairs, links, strict=True):
                joint.parse(*pair, chosen, links=own)

        work()
        seconds[method] = _timed(work)[0]
    linked = [
        linked_words(own, len(a.sentence), len(b.sentence))
        for own, (a, b) in zip(links, pairs, strict=True)
    ]
    for projective in (True, False):
        name = f"20 rounds of soft duals, {'projective' if projective else 'crossing'}"
        seconds[name] = _timed(lambda p=projective: _duals(pairs, linked, p))[0]
    sys.stdout.write(json.dumps(_report(seconds, len(pairs)), indent=1) + "\n")


def _texts(path: Path) -> list[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        texts = [(row["source"], row["paraphrase"]) for row in table]
    return [p for p in texts if 18 <= len(p[0].split()) <= 22][:PAIRS]


def _analysed(parser: Any, texts: list[tuple[str, str]]) -> list[Pair]:
    sentences = [Sentence.of(text) for pair in texts for text in pair]
    analyses = parser.analyse(sentences, want=WANT)
    return list(zip(analyses[::2], analyses[1::2], strict=True))


def _duals(pairs: list[Pair], linked: list[LinkedWords], projective: bool) -> None:  # noqa: FBT001
    """Decode with slack 1 and the paper's step, so that most pairs use all rounds."""
    for (a, b), own in zip(pairs, linked, strict=True):
        decoder = DualDecoder(len(a.sentence), len(b.sentence), projective=projective)
        slack = slack_of(own, 1.0)
        decoder.decode(arcs_of(a), arcs_of(b), own, slack, rounds=20, step=0.1)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def _report(seconds: dict[str, float], n: int) -> dict[str, Any]:
    shared = seconds["encoder"] + seconds["links"]
    rows: dict[str, Any] = {
        name: {"ms a pair": round(1000 * value / n, 3)}
        for name, value in seconds.items()
    }
    for method in METHODS:
        whole = shared + seconds[method]
        rows[method] |= {
            "pairs a second, whole path, one thread": round(n / whole, 1),
            "share of encoder": round(seconds["encoder"] / whole, 3),
            "share of links": round(seconds["links"] / whole, 3),
            "share of decoding": round(seconds[method] / whole, 3),
        }
    return {"number of pairs": n, **rows}


if __name__ == "__main__":
    main(file_of_pairs(__doc__))
