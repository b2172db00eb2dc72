"""``evaluate alignment``: phrase links by method, in treebanks, chunks and parses."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core.errors import FormatError
from core.evaluation.joint_parsing import read_gold_pairs, read_pairs
from core.evaluation.phrase_alignment import (
    PhraseCase,
    naming,
    prepare,
    read,
    read_links,
    scores,
    source_parses,
)
from core.parsing.registry import Say, add_parser_options, backend_of
from core.phrase_alignment.aligner import WEIGHTS, PhraseAligner
from core.text.wordnet import thesaurus
from lab.evaluation import ists
from lab.evaluation.phrase_corpora import (
    Bitree,
    TreebankAligner,
    chunk_f1,
    chunk_links,
    fit_treebanks,
    overlap,
    phrase_f1,
    phrase_pair,
    read_bitrees,
)
from lab.evaluation.phrase_em import EmState
from lab.evaluation.phrase_methods import METHODS, calibration, crossfit
from lab.evaluation.phrase_methods import run as outcomes_of
from lab.evaluation.phrase_reranking import ledger, rerank

HELP = "compare ways to link phrases, also in treebanks and between chunks"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--pairs",
        type=Path,
        required=True,
        metavar="FILE",
        help="JSON (see core.formats.alignments.phrase_links) or a folder of SPADE's "
        "files (s-1.xml, t-1.xml, …); or TreeAligner XML next to its treebanks: then "
        "gold trees and gold word links go in; or TSV (core.evaluation.joint_parsing): "
        "then the source's parses are scored by --gold; or chunks of iSTS (.wa)",
    )
    add("--gold", nargs="+", type=Path, default=[], metavar="PATH", help="treebanks")
    add(
        "--without",
        type=Path,
        metavar="FILE",
        help="JSON of pairs to leave out: those that the weights were fitted on",
    )
    add(
        "--method",
        choices=METHODS,
        default="forest",
        help="method to measure (default: %(default)s)",
    )
    add(
        "--trees",
        choices=("gold", "one-best", "forest"),
        default="",
        help="trees to align: gold trees, the parser's best, or its forest",
    )
    add_parser_options(parser)
    add(
        "--folds",
        type=int,
        default=0,
        help="fit the weights on this very file, each pair with weights fitted without "
        "it; by default the shipped weights are used",
    )
    add(
        "--fitted-on",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="TreeAligner XML of other treebanks: weights fitted on them, not shipped",
    )
    add("--em", type=Path, metavar="FILE", help="weights of `train phrases` instead")
    add("--seed", type=int, default=0, help="seed of the random draws")


def em_state(path: Path) -> EmState:
    """The weights of a file of `train phrases`; raises FormatError naming it."""
    with naming(path):
        return EmState.loads(path.read_text(encoding="utf-8"))


def _em_of(path: Path | None) -> Callable[[int], EmState] | None:
    """The same weights for every pair."""
    if path is None:
        return None
    state = em_state(path)
    return lambda _: state


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Every figure of one method; shares of 1."""
    kinds = {".xml": _treebanks, ".tsv": _parsing, ".wa": _chunks}
    return kinds.get(options["pairs"].suffix, _phrases)(options)


def _phrases(options: dict[str, Any]) -> dict[str, Any]:
    """Phrase links against those of several annotators."""
    cases = read(options["pairs"], backend_of(options))
    aligner = PhraseAligner.load(WEIGHTS)
    k, method, em_of = options["folds"], options["method"], _em_of(options["em"])
    aligner_of = _fitted_without(cases, options) if k else lambda _: aligner
    outcomes = outcomes_of(
        cases, method, aligner_of, trees=options["trees"], em_of=em_of
    )
    return {
        "method": method,
        "pairs": len(cases),
        **scores(cases, outcomes, multiword=False),
        "multiword": scores(cases, outcomes, multiword=True),
        "reachability": sum(one.reached for one in outcomes) / len(outcomes),
        **source_parses(cases, outcomes),
        "sure": calibration(cases, outcomes),
        "weights": f"fitted here, {k} folds" if k else aligner.facts.get("fitted_on"),
    }


def _fitted_without(
    cases: Sequence[PhraseCase], options: dict[str, Any]
) -> Callable[[int], PhraseAligner]:
    shipped = PhraseAligner.load(WEIGHTS)
    return crossfit(
        cases,
        options["folds"],
        thesaurus(),
        shipped.settings,
        word_bias=shipped.context.word_bias,
        phrase_bias=shipped.context.phrase_bias,
        seed=options["seed"],
    )


def _parsing(options: dict[str, Any]) -> dict[str, Any]:
    """The source's parse before and after: errors corrected and introduced."""
    rows = read_pairs(options["pairs"])
    if options["without"]:
        left = {pair.ref for pair in read_links(options["without"])}
        rows = [row for row in rows if f"{row.corpus}:{row.id}" not in left]
    pairs, n_without, messages = read_gold_pairs(rows, options["gold"])
    backend = backend_of(options)
    reranked = list(rerank(pairs, backend, PhraseAligner.load(WEIGHTS)))
    if not reranked:
        raise FormatError("no source has a gold tree; see --gold")
    names = sorted({one.corpus for one in reranked})
    return {
        **ledger(reranked, seed=options["seed"]),
        **{n: ledger([x for x in reranked if x.corpus == n]) for n in names},
        "without_gold_tree": n_without + len(pairs) - len(reranked),
        "unreadable": messages,
    }


def _chunks(options: dict[str, Any]) -> dict[str, Any]:
    """Which chunks belong together, the chunks given: the task's F1 of alignments."""
    path, method = options["pairs"], options["method"]
    if options["folds"] or "gold" in (options["trees"], method.partition("-")[0]):
        reason = f"{path}: no gold trees in it, and no links of phrases to fit on"
        remedy = "leave --folds out, and take a method over the parser's trees"
        raise FormatError(reason, remedy=remedy)
    pairs = _read_chunks(path)
    backend = backend_of(options)
    cases = prepare([phrase_pair(pair) for pair in pairs], backend)
    aligner = PhraseAligner.load(WEIGHTS)
    trees = options["trees"] or ("one-best" if method == "overlap" else "")
    outcomes = outcomes_of(
        cases, method, lambda _: aligner, trees=trees, em_of=_em_of(options["em"])
    )
    links = [
        chunk_links(pair, outcome.cells)
        for pair, outcome in zip(pairs, outcomes, strict=True)
    ]
    return {"method": method, "pairs": len(pairs), **chunk_f1(pairs, links)}


def _read_chunks(path: Path) -> list[ists.ChunkPair]:
    with naming(path), path.open(encoding="utf-8", newline="") as file:
        pairs = list(ists.read(file))
        if not pairs:
            raise FormatError("it has no pairs")
    return pairs


def _treebanks(options: dict[str, Any]) -> dict[str, Any]:
    """Phrase links of a parallel treebank, its gold word links given."""
    baseline = options["method"] == "overlap"
    pairs, n_bad = read_treebank(options["pairs"], words_apart=not baseline)
    linker: Callable[[Bitree], list[tuple[int, int]]] = overlap
    weights = "none"
    if not baseline:
        aligner = TreebankAligner.load()
        if options["fitted_on"]:
            aligner = fitted_on(options["fitted_on"])
        linker, weights = aligner.links, str(aligner.facts["fitted_on"])
    scores = phrase_f1(pairs, linker)
    return {
        "pairs": len(pairs),
        "unreadable_lines": n_bad,
        **scores,
        "weights": weights,
    }


def fitted_on(paths: Sequence[Path]) -> TreebankAligner:
    """The aligner of these parallel treebanks."""
    read = [pair for path in paths for pair in read_treebank(path)[0]]
    names = " ".join(path.name for path in paths)
    return fit_treebanks(read, {"fitted_on": f"{len(read)} pairs of {names}"})


def read_treebank(path: Path, *, words_apart: bool = True) -> tuple[list[Bitree], int]:
    """The pairs of a TreeAligner file, its treebanks next to it, and how many lines
    could not be read. Raises FormatError."""

    def lines(name: str) -> list[str]:
        neighbour = path.parent / Path(name).name
        with neighbour.open(encoding="utf-8", newline="") as file:
            return list(file)

    with naming(path):
        pairs, n_bad = read_bitrees(lines(path.name), lines, words_apart=words_apart)
    if not pairs:
        raise FormatError(f"{path}: it has no pair of trees")
    return pairs, n_bad
