"""``evaluate links-curve``: what an aligner learns from links corrected so far."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.data.check import Floats
from core.errors import Unavailable
from core.evaluation.phrase_alignment import PhraseCase, outcomes_of, read
from core.parsing.registry import Say, add_parser_options, backend_of
from core.phrase_alignment.aligner import WEIGHTS, PhraseAligner
from core.text.wordnet import Thesaurus, thesaurus
from lab.evaluation.commands.fit_phrases import PHRASE_BIAS, WORD_BIAS
from lab.evaluation.links_learned import play
from lab.evaluation.phrase_fitting import fit
from lab.evaluation.phrase_methods import examples, pair_shares

HELP = "an aligner fitted on other texts that learns from the links corrected so far"
ORDERS = ("random", "doubt")
DRAWS = 2_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--pairs", type=Path, required=True, metavar="FILE", help="ids as text:id")
    add_parser_options(parser)
    add("--sizes", nargs="+", type=int, default=[5, 10, 20])
    add("--penalties", nargs="+", type=float, default=[10.0])
    add("--seeds", type=int, default=3)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """For each penalty and order: F1 by pairs corrected, and the gain over none with
    its interval (bootstrap over pairs, means over seeds)."""
    cases = read(options["pairs"], backend_of(options))
    texts: dict[str, list[PhraseCase]] = {}
    for case in cases:
        texts.setdefault(case.pair.ref.split(":")[0], []).append(case)
    bases = {name: base_of(texts, name) for name in texts}
    first = {
        name: pair_shares(some, outcomes_of(some, bases[name]))
        for name, some in texts.items()
    }
    say(f"{len(cases)} pairs of {', '.join(texts)}; a base for each")
    results: dict[str, Any] = {"pairs": len(cases), "texts": sorted(texts)}
    begin = np.concatenate([first[name] for name in texts])
    sizes, seeds = options["sizes"], range(1, options["seeds"] + 1)
    for penalty in options["penalties"]:
        for words in (True, False):
            for order in ORDERS:
                played = [
                    _round(texts, bases, order, sizes, penalty, seed, words=words)
                    for seed in seeds
                ]
                name = f"{order}, penalty {penalty:g}" + ("" if words else ", phrases")
                shares = np.concatenate([begin[None], np.mean(played, axis=0)])
                results[name] = _curve(shares, [0, *sizes])
                say(f"{name}: {results[name]}")
    return results


def _words() -> Thesaurus | None:
    """WordNet where it is installed."""
    try:
        return thesaurus()
    except Unavailable:
        return None


def base_of(texts: dict[str, list[PhraseCase]], left_out: str) -> PhraseAligner:
    """The shipped settings with weights of the other texts."""
    others = [one for name, some in texts.items() if name != left_out for one in some]
    rest = [one for case in others for one in examples(case)]
    model = fit(rest, _words(), word_bias=WORD_BIAS, phrase_bias=PHRASE_BIAS)
    return PhraseAligner(model, model, PhraseAligner.load(WEIGHTS).settings, {})


def _round(
    texts: dict[str, list[PhraseCase]],
    bases: dict[str, PhraseAligner],
    order: str,
    sizes: Sequence[int],
    penalty: float,
    seed: int,
    *,
    words: bool,
) -> Floats:
    """``(sizes, pairs, 2)``: each text is cut in halves, each is held back once."""
    rng = np.random.default_rng(seed)
    whole = []
    for name, cases in texts.items():
        shares = np.zeros((len(sizes), len(cases), 2))
        turn = rng.permutation(len(cases))
        half = len(cases) // 2
        for pool, held in ((turn[:half], turn[half:]), (turn[half:], turn[:half])):
            points = play(
                bases[name],
                [cases[at] for at in pool],
                [cases[at] for at in held],
                order,
                sizes,
                _words(),
                penalty=penalty,
                words=words,
                rng=rng,
            )
            shares[:, held] = [point.shares for point in points]
        whole.append(shares)
    return np.concatenate(whole, axis=1)


def _curve(shares: Floats, sizes: Sequence[int]) -> list[dict[str, float]]:
    """``shares (sizes, pairs, 2)``; F1 of mean recall and precision, percent."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(shares.shape[1], size=(DRAWS, shares.shape[1]))
    base = _f1(shares[0][drawn].mean(1))
    rows = []
    for at, n in enumerate(sizes):
        gains = _f1(shares[at][drawn].mean(1)) - base
        low, high = np.percentile(gains, [2.5, 97.5])
        f1 = float(_f1(shares[at].mean(0)[None])[0])
        first = float(_f1(shares[0].mean(0)[None])[0])
        row = {"pairs": n, "f1": f1, "gain": f1 - first, "low": low, "high": high}
        rows.append({k: round(float(v), 2) for k, v in row.items()})
    return rows


def _f1(means: Floats) -> Floats:
    recall, precision = means[:, 0], means[:, 1]
    return np.asarray(200 * recall * precision / (recall + precision))
