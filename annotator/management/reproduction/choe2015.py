"""Choe & McClosky 2015, "Parsing Paraphrases with Joint Inference", tables 4 to 7."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from annotator.management.joint import read_cases
from annotator.management.joint import run as run_method
from core.agreement import attachment
from core.agreement.attachment import Attachment
from core.backends import registry
from core.backends.joint_eval import Case, Scored, report
from core.backends.joint_fit import Bench
from core.data.tree import Tree
from core.grammar.heads import SEMANTIC, to_dependencies
from core.grammar.universal import counted_words
from core.joint.joint_parser import JointParser, JointSettings
from core.joint.linked import linked_words
from core.joint.pair_finding import best_pair, ranked_trees

HELP = "joint parsing of paraphrases (Choe & McClosky 2015), the paper's tables 4 to 7"
NOTE = (
    "Ours: other corpora, another parser, and paraphrases written by a language model "
    "that nobody checked; only the shape of the tables can be compared."
)
GOLD = (
    "ewt-ud/en_ewt-ud-dev.conllu",
    "gum/dev",
    "gentle",
    "craft/train/penn",
    "craft/dev/penn",
)
CORPORA = ("BNC", "Brown", "QB", "WSJ")
PAPER: dict[str, dict[str, tuple[float, ...]]] = {
    "4": {
        "RBG": (86.4, 89.2, 90.9, 75.8, 93.7),
        "+ Dual": (84.7, 87.5, 87.8, 76.0, 91.0),
        "+ S-Dual": (86.8, 89.8, 90.9, 76.5, 94.0),
    },
    "5": {
        "n = 1": (89.5, 91.1, 91.6, 83.3, 94.2),
        "n = 2": (90.0, 91.4, 92.3, 84.1, 94.1),
        "n = 3": (89.8, 91.5, 92.0, 84.2, 93.9),
        "n = 5": (89.2, 91.9, 91.4, 83.0, 93.2),
        "n = 10": (87.9, 90.5, 90.3, 81.4, 92.2),
        "n = 50": (86.3, 90.2, 88.7, 78.6, 91.1),
    },
    "6": {
        "RBG": (86.4, 89.2, 90.9, 75.8, 93.7),
        "+ S-Dual": (86.8, 89.8, 90.9, 76.5, 94.0),
        "+ Logit": (86.9, 89.8, 91.1, 76.5, 94.0),
    },
    "7": {
        "RBG": (86.7, 89.3, 90.2, 77.0, 93.7),
        "+ S-Dual": (87.3, 89.6, 90.7, 78.1, 94.0),
        "+ Logit": (87.2, 89.7, 90.6, 77.9, 93.8),
    },
}
TITLES = {
    "4": "Table 4: hard and soft dual decomposition, UAS",
    "5": "Table 5: pair-finding over n-best trees, UAS of converted trees",
    "6": "Table 6: the gate, crossfitted, UAS",
    "7": "Table 7: the final methods, UAS; ours crossfitted, not on a test set",
}
N_BEST = (1, 2, 3, 5, 10, 50)
FOLDS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        help="holds paraphrases/, ewt-ud/, gum/, gentle/, craft/",
    )
    parser.add_argument("--engine", default=registry.DEFAULT)


def run(options: dict[str, Any]) -> dict[str, Any]:
    """By table: rows of UAS, under "paper" and "ours", and what the columns are."""
    data: Path = options["data"]
    cases, left_out, _ = read_cases(
        data / "paraphrases" / "dev.tsv",
        [data / name for name in GOLD],
        options["engine"],
        _say,
    )
    bench = Bench.of(cases, JointParser.load())
    paper_soft = JointSettings("soft", step=0.1, gate=False, projective=False)
    plain = partial(run_method, bench, folds=0, say=_say)
    hard = _rows([one for one, _ in plain(replace(paper_soft, method="hard"))])
    soft = _rows([one for one, _ in plain(paper_soft)])
    gated = run_method(bench, replace(paper_soft, gate=True), FOLDS, _say)
    logit = _rows([one for one, _ in gated])
    best = run_method(bench, JointSettings(), FOLDS, _say)
    ours = {
        "4": {"parser": hard[0], "+ Dual": hard[1], "+ S-Dual": soft[1]},
        "5": _pair_finding(bench),
        "6": {"parser": soft[0], "+ S-Dual": soft[1], "+ Logit": logit[1]},
        "7": {
            "parser": soft[0],
            "+ S-Dual": soft[1],
            "+ Logit": logit[1],
            "our default": _rows([one for one, _ in best])[1],
        },
    }
    return {
        "note": NOTE,
        "pairs": len(cases),
        "without_gold": left_out,
        "corpora": {"paper": CORPORA, "ours": _corpora(cases)},
        "tables": {
            table: {"title": TITLES[table], "paper": PAPER[table], "ours": ours[table]}
            for table in PAPER
        },
    }


def lines(results: dict[str, Any]) -> Iterator[str]:
    """The tables as text."""
    yield results["note"]
    yield f"{results['pairs']} pairs; {results['without_gold']} without gold left out"
    for table in results["tables"].values():
        yield ""
        yield table["title"]
        for whose in ("paper", "ours"):
            columns = ("all", *results["corpora"][whose])
            yield f"{whose:14}" + "".join(f"{name:>9}" for name in columns)
            for name, row in table[whose].items():
                cells = ("–" if x is None else f"{x:.1f}" for x in row)
                yield f"  {name:12}" + "".join(f"{cell:>9}" for cell in cells)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


def _corpora(cases: Sequence[Case]) -> tuple[str, ...]:
    return tuple(sorted({case.corpus for case in cases}))


def _rows(scored: Sequence[Scored]) -> tuple[list[float], list[float]]:
    """UAS of baseline and joint, all first, then by corpus."""
    figures = report(scored)
    before, after = (
        [figures[name][which]["uas"] for name in figures]
        for which in ("baseline", "joint")
    )
    return before, after


def _pair_finding(bench: Bench) -> dict[str, list[float | None]]:
    """UAS of the source's tree, converted, that pair-finding takes from n-best lists.

    The 50-best lists are made once and cut. Corpora without gold trees have none.
    """
    corpora = _corpora(bench.cases)
    sums = {(n, name): Attachment() for n in N_BEST for name in ("all", *corpora)}
    for case, links in zip(bench.cases, bench.links, strict=True):
        gold = case.pair.gold.tree
        if gold is None or case.tree is None:
            continue
        linked = linked_words(
            links, len(case.source.sentence), len(case.target.sentence)
        )
        ours, theirs = (
            ranked_trees(one, max(N_BEST))[0] for one in (case.source, case.target)
        )
        for n in N_BEST:
            i, _, _ = best_pair(ours[:n], theirs[:n], linked)
            found = _right(gold, ours[i][1])
            sums[n, "all"] += found
            sums[n, case.corpus] += found
    return {
        f"n = {n}": [
            round(100 * one.uas, 2) if (one := sums[n, name]).tokens else None
            for name in ("all", *corpora)
        ]
        for n in N_BEST
    }


def _right(gold: Tree, heads: tuple[int, ...]) -> Attachment:
    wanted = to_dependencies(gold, SEMANTIC)
    tags = ["" if counted else "PUNCT" for counted in counted_words(gold)]
    guess = replace(wanted, heads=heads)
    return attachment.compare(wanted, guess, without_punctuation=tags)
