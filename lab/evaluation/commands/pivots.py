"""``evaluate pivots``: paraphrase tables as a thesaurus of scores, links, words."""

import argparse
import gzip
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import core.phrase_alignment.aligner as phrase_aligner
from core.agreement.paired import sign_flip_p
from core.data.check import Floats
from core.evaluation.phrase_alignment import read, scores
from core.itg.features import PairView, features
from core.itg.scores import SCORERS
from core.parsing.registry import Say, add_parser_options, backend_of
from core.phrase_alignment.aligner import PhraseAligner
from core.text.stems import stem
from core.text.wordnet import find_thesaurus
from lab.evaluation import phrase_methods
from lab.evaluation.fitting import fit_logistic
from lab.evaluation.folds import outer_folds
from lab.evaluation.pivot_thesaurus import PivotThesaurus, Words, both_ways, word_pairs
from lab.evaluation.ranking import average_precision
from lab.evaluation.substitutes import read_targets
from lab.reproduce import pairs

HELP = "paraphrase tables as a thesaurus of scores, links and substitutes"
SEED = 16
GROUPS = ("overlap", "structure", "thesaurus")
Known = Any  # a thesaurus, or None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--table", type=Path, required=True, help="folder of pivot build")
    add("--msrpc", type=Path, nargs="*", default=[], help="labelled pairs, not of test")
    add("--links", type=Path, help="phrase links of annotators, JSON")
    add("--folds", type=int, default=0, help="refit the phrase aligner, too")
    add("--targets", type=Path, help="CoInCo, XML")
    add("--counts", type=Path, help="how often words occur: WORD TAB COUNT, gzipped")
    add("--sample", type=int, default=1200)
    add("--least", type=float, nargs="+", default=[0.02, 0.1])
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """By task the figure without and with the table, and p over pairs."""
    words = both_ways(word_pairs(options["table"]))
    wordnet, reason = find_thesaurus()
    if reason:
        say(reason)
    known: dict[str, Known] = {"WordNet": wordnet, "stems": None}
    for least in options["least"]:
        known[f"pivots {least}"] = PivotThesaurus(words, least, "synonyms", None)
        for kind in ("synonyms", "kin"):
            name = f"WordNet and pivots {least} as {kind}"
            known[name] = PivotThesaurus(words, least, kind, wordnet)
    figures: dict[str, Any] = {"words in the table": len(words)}
    if options["msrpc"]:
        figures |= _scores(options["msrpc"], options["sample"], known, say)
    if options["links"]:
        figures |= _links(options, known, say)
    if options["targets"]:
        counts = _counts(options["counts"])
        figures |= _substitutes(
            options["targets"], options["sample"], words, known, counts
        )
    return figures


def _scores(
    paths: Sequence[Path], sample: int, known: dict[str, Known], say: Say
) -> dict[str, Any]:
    """Average precision on labelled pairs: costs as they are, and features fitted in
    five folds."""
    every = pairs.load("MSRPC", *paths)
    drawn = random.Random(SEED).sample(  # noqa: S311
        range(len(every)), min(sample, len(every))
    )
    sides, positive = [every.sides[at] for at in drawn], every.positive[drawn]
    values, fitted = {}, {}
    for name, one in known.items():
        views = [PairView(a, b, one) for a, b in sides]
        scorer = SCORERS["thesaurus"]
        values[name] = np.array([scorer.score(view).value for view in views])
        fitted[name] = _crossfitted(views, positive)
        say(f"{name}: scored")
    figures: dict[str, Any] = {"pairs": f"{len(sides)}, positive {positive.mean():.3f}"}
    for kind, scored in (("thesaurus costs", values), ("fitted features", fitted)):
        for name, row in scored.items():
            figures[f"AP, {kind}, {name}"] = _against(
                row, scored["WordNet"], positive, average_precision
            )
    return figures


def _crossfitted(views: Sequence[PairView], positive: Any) -> Floats:
    rows = [features(view, GROUPS) for view in views]
    names = sorted(rows[0])
    table = np.array([[row[name] for name in names] for row in rows])
    keys = [(" ".join(v.source), " ".join(v.target)) for v in views]
    odds = np.zeros(len(views))
    for part in outer_folds(keys, 5, np.random.default_rng(0)):
        rest = np.setdiff1d(np.arange(len(views)), part)
        model = fit_logistic(table[rest], positive[rest], names)
        odds[part] = [model.log_odds(rows[at]) for at in part]
    return odds


def _against(
    ours: Floats,
    base: Floats,
    positive: Any,
    measure: Callable[[Floats, Any], float],
    draws: int = 1000,
) -> str:
    """The figure, and how it differs from the base: 95 % interval over pairs."""
    rng = np.random.default_rng(0)
    gain = measure(ours, positive) - measure(base, positive)
    gains = []
    for _ in range(draws):
        at = rng.integers(len(ours), size=len(ours))
        gains.append(measure(ours[at], positive[at]) - measure(base[at], positive[at]))
    low, high = np.quantile(gains, [0.025, 0.975])
    lower = float(np.mean(np.array(gains) <= 0))
    p = min(1.0, 2 * min(lower, float(np.mean(np.array(gains) >= 0))))
    shown = f"{100 * gain:+.2f} ({100 * low:+.2f} to {100 * high:+.2f}, p {p:.3f})"
    return f"{100 * measure(ours, positive):.2f}; against WordNet {shown}"


def _links(
    options: dict[str, Any], known: dict[str, Known], say: Say
) -> dict[str, Any]:
    """F1 of phrase links, shipped weights, and refitted ones with ``folds``."""
    cases = read(options["links"], backend_of(options))
    shipped = PhraseAligner.load()
    figures: dict[str, Any] = {}
    shares: dict[str, Floats] = {}
    module = vars(phrase_aligner)  # asks for a thesaurus by this name
    usual = module["thesaurus"]
    for name, one in known.items():
        for kind in ("shipped", "fitted") if options["folds"] else ("shipped",):
            aligner_of = lambda _: shipped  # noqa: E731
            if kind == "fitted":
                aligner_of = phrase_methods.crossfit(
                    cases,
                    options["folds"],
                    one,
                    shipped.settings,
                    word_bias=shipped.context.word_bias,
                    phrase_bias=shipped.context.phrase_bias,
                )
            module["thesaurus"] = lambda one=one: one
            try:
                outcomes = phrase_methods.run(cases, "forest", aligner_of)
            finally:
                module["thesaurus"] = usual
            f1 = scores(cases, outcomes, multiword=False)["f1"]
            several = scores(cases, outcomes, multiword=True)["f1"]
            rows = phrase_methods.pair_shares(cases, outcomes)
            total = np.maximum(rows.sum(1), 1e-9)
            shares[f"{kind}, {name}"] = 2 * rows[:, 0] * rows[:, 1] / total
            differ = shares[f"{kind}, {name}"] - shares.get(
                f"{kind}, WordNet", shares[f"{kind}, {name}"]
            )
            p = sign_flip_p(differ[:, None], np.random.default_rng(0), draws=10_000)[0]
            figures[f"links, {kind}, {name}"] = (
                f"F1 {100 * f1:.2f}, several words {100 * several:.2f}; mean of pairs "
                f"against WordNet {100 * differ.mean():+.2f} (p {p:.3f})"
            )
            say(f"links, {kind}, {name}")
    return figures


def _counts(path: Path | None) -> dict[str, int]:
    if path is None:
        return {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = (line.split("\t") for line in lines)
        return {word: int(count) for word, count in rows}


def _substitutes(
    path: Path,
    sample: int,
    words: Words,
    known: dict[str, Known],
    counts: dict[str, int],
) -> dict[str, Any]:
    """How many of the first five candidates people offered, and targets reached; the
    commoner words of WordNet first."""
    targets = read_targets(path, "coinco")
    targets = random.Random(SEED).sample(targets, min(sample, len(targets)))  # noqa: S311
    wordnet = known["WordNet"]
    names = ("WordNet", "pivots", "both, pivots first", "both, synonyms first")
    listed: dict[str, list[list[str]]] = {name: [] for name in names}
    for target in targets:
        form = target.form.lower()
        paraphrases = words.get(form, {})
        by_p = sorted(paraphrases, key=lambda w: (-paraphrases[w], w))
        found = wordnet.related(form).synonyms - {form} if wordnet else set()
        synonyms = sorted(found, key=lambda w: (-counts.get(w, 0), w))
        listed["WordNet"].append(synonyms)
        listed["pivots"].append(by_p)
        listed["both, pivots first"].append(
            [*(w for w in by_p if w in found), *synonyms]
        )
        listed["both, synonyms first"].append([*synonyms, *by_p])
    figures: dict[str, Any] = {"targets": len(targets)}
    right = {}
    for name, rows in listed.items():
        firsts = [_firsts(row, t.form) for row, t in zip(rows, targets, strict=True)]
        right[name] = np.array(
            [
                len(set(row) & t.offered) / 5
                for row, t in zip(firsts, targets, strict=True)
            ]
        )
        reached = np.mean(
            [
                bool({stem(w) for w in row} & t.offered)
                for row, t in zip(rows, targets, strict=True)
            ]
        )
        any_ = np.mean([bool(row) for row in rows])
        differ = (right[name] - right["WordNet"])[:, None]
        p = sign_flip_p(differ, np.random.default_rng(0), draws=10_000)[0]
        figures[f"substitutes, {name}"] = (
            f"of the first five offered by people {100 * right[name].mean():.2f} % "
            f"(p {p:.3f}), reached {100 * reached:.1f} %, have any {100 * any_:.1f} %"
        )
    return figures


def _firsts(words: Sequence[str], form: str) -> list[str]:
    stems = dict.fromkeys(stem(word) for word in words)
    return [one for one in stems if one != stem(form.lower())][:5]
