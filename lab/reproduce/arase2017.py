"""Arase & Tsujii 2017, "Monolingual Phrase Alignment on Parse Forests", Table 3."""

import argparse
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.figures import resample
from core.agreement.paired import ratio_swap_p
from core.data.check import Floats
from core.evaluation.phrase_alignment import Outcome, PhraseCase, read, scores
from core.parsing.registry import Say, add_parser_options, backend_of
from core.phrase_alignment.aligner import PhraseAligner
from core.text.wordnet import thesaurus
from lab.evaluation.commands.phrases import em_state
from lab.evaluation.folds import grouped
from lab.evaluation.phrase_em import EmState
from lab.evaluation.phrase_methods import (
    addable,
    attachment_of,
    crossfit,
    is_supported,
    pair_counts,
)
from lab.evaluation.phrase_methods import run as run_method
from lab.evaluation.phrases_taught import taught_crossfit

HELP = "phrase alignment on parse forests: Table 3 of Arase & Tsujii 2017"
FILE = "phrase-alignments/dev.json"
PAPER = {  # recall, precision, UAS, share of pairs whose roots are linked
    "human": (90.65, 88.21, None, None),
    "forest": (83.64, 78.91, 93.49, 98),
    "monotonic": (82.86, 77.97, 93.49, 98),
    "no-em": (81.33, 75.09, 92.91, 86),
    "one-best": (80.11, 73.26, 93.56, 100),
}
METHODS = (
    "forest",
    "monotonic",
    "no-crossing",
    "no-em",
    "one-best",
    "overlap",
    "gold-trees",
)
GAINS = {  # what is added, and to what
    "non-compositional links": ("forest", "monotonic"),
    "links that cross": ("forest", "no-crossing"),
    "forests": ("forest", "one-best"),
    "fitted weights": ("forest", "no-em"),
    "EM": ("em", "untrained"),
    "EM over rules": ("em", "no-em"),
    "links over EM": ("em-taught", "em"),
    "EM under links": ("em-taught", "taught"),
    "self-training": ("self-trained", "no-em"),
    "links over self-training": ("forest", "self-trained"),
}
Counts = dict[str, Floats]  # by NODES, ``pair_counts`` of a row
NODES = ("all nodes", "phrases")
DRAWS = 10_000
NOTE = (
    "Reference links by language models working apart, not by people: their agreement "
    "is far above human. Our weights are fitted on links (the paper's by EM), each "
    "pair with weights fitted without it; no-em has rules and no weights, "
    "untrained the paper's features with all weights 0, as EM begins, taught the same "
    "fitted on links from there, em-taught from EM's weights. p: approximate "
    "randomisation against forest (of the rows of EM alone, against untrained), pairs "
    "swapped, of recall and precision as "
    "printed, summed over pairs. Gains are of F1 over all pairs, in points, of all "
    "nodes and of phrases, with 95 % intervals (pairs drawn with replacement) and p of "
    "F1 (pairs swapped); of non-compositional links against a row that fills no "
    "null (monotonic), of those that cross against one that fills all nulls it can "
    "without (no-crossing). Reach is the "
    "paper's alone: no beam here loses a root, so ours would be 100 % of any method. "
    "UAS: gold and chosen constituents of both sentences converted by the same head "
    "rules, without punctuation (the paper: out of HPSG trees). Not max: to how many "
    "pairs' links a pair of nulls could be added that two links below support "
    "(Definition 3.2, 6, which is not enforced), and how many such there are. Halves: "
    "by a hash of the pair's name; the last rows have weights of the dev half alone. "
    "The numbers of AlignSettings were chosen with all pairs in view (the paper's "
    "Table 2: on 50 pairs apart from its 151)."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    where = f"holds {FILE}, or is its folder"
    add("--data", type=Path, required=True, metavar="DIR", help=where)
    add_parser_options(parser)
    add("--folds", type=int, default=10)
    add(
        "--method",
        action="append",
        choices=METHODS[1:],
        help="a row to measure besides forest, by default all",
    )
    add(
        "--em",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="weights of `train phrases`: a row each, and those fitted on links from "
        "the first",
    )
    add(
        "--em-only",
        action="store_true",
        help="the rows of --em beside untrained alone, to which p then refers",
    )
    add(
        "--self-trained",
        type=Path,
        metavar="FILE",
        help="weights of `train phrases --self-train`: one more row",
    )
    add("--seed", type=int, default=0)


def table(
    cases: Sequence[PhraseCase],
    *,
    folds: int,
    seed: int,
    em: Mapping[str, EmState] | None = None,
    self_trained: PhraseAligner | None = None,
    methods: Sequence[str] = METHODS,
) -> dict[str, Any]:
    """Return a row per method, shares of 1, and the differences from the first; without
    ``methods`` nothing is fitted on links."""
    shipped = PhraseAligner.load()
    if not methods:
        return _em_rows(cases, shipped, em or {}, seed)
    aligner_of = _fitted_without(cases, shipped, folds, seed)
    of = {"self-trained": lambda _: self_trained or shipped}
    states = _states(cases, em or {}, folds=folds, seed=seed)
    halves = halves_of(cases)
    counts: dict[str, Counts] = {}
    rows: dict[str, Any] = {}
    for method in [*methods, *states, *(of if self_trained else ())]:
        trees = "one-best" if method == "overlap" else ""
        name = "forest" if method in (*states, *of) else method
        whose = of.get(method, aligner_of)
        outcomes = run_method(cases, name, whose, trees=trees, em_of=states.get(method))
        counts[method] = _counts(cases, outcomes)
        p = _p(counts["forest"], counts[method], seed)
        rows[method] = _row(cases, outcomes, p) | {
            half: scores(*_only(at, cases, outcomes), multiword=False)
            for half, at in halves.items()
        }
    gains = _gains(rows, counts, em or (), seed)
    return {
        "rows": rows,
        "gains": gains,
        "halves": {half: len(at) for half, at in halves.items()},
        "learnt on dev": _learnt_on_dev(cases, halves, shipped, seed),
        "pairs": len(cases),
        "folds": folds,
        "seed": seed,
    }


def _em_rows(
    cases: Sequence[PhraseCase],
    shipped: PhraseAligner,
    em: Mapping[str, EmState],
    seed: int,
) -> dict[str, Any]:
    """Return the rows of EM beside ``untrained``, as ``table`` does."""
    halves = halves_of(cases)
    states = {"untrained": EmState(), **em}
    rows: dict[str, Any] = {}
    counts: dict[str, Counts] = {}
    for name, state in states.items():
        outcomes = run_method(cases, "forest", lambda _: shipped, em_of=_always(state))
        counts[name] = _counts(cases, outcomes)
        p = _p(counts["untrained"], counts[name], seed)
        rows[name] = _row(cases, outcomes, p) | {
            half: scores(*_only(at, cases, outcomes), multiword=False)
            | {"gain": _gain(counts["untrained"], counts[name], seed, at)}
            for half, at in halves.items()
        }
    return {
        "rows": rows,
        "gains": _gains(rows, counts, em, seed),
        "halves": {half: len(at) for half, at in halves.items()},
        "learnt on dev": {},
        "pairs": len(cases),
        "folds": 0,
        "seed": seed,
    }


def _always(state: EmState) -> Callable[[int], EmState]:
    return lambda _: state


def _fitted_without(
    cases: Sequence[PhraseCase],
    shipped: PhraseAligner,
    folds: int,
    seed: int,
    parts: Sequence[Sequence[int]] = (),
) -> Callable[[int], PhraseAligner]:
    """Return weights by pair, with the shipped settings."""
    return crossfit(
        cases,
        folds,
        thesaurus(),
        shipped.settings,
        word_bias=shipped.context.word_bias,
        phrase_bias=shipped.context.phrase_bias,
        seed=seed,
        parts=parts,
    )


def halves_of(cases: Sequence[PhraseCase]) -> dict[str, list[int]]:
    """The places of the cases of two halves, "dev" and "test", by the last bit of the
    SHA-256 of the pair's name; what shares a sentence goes where the first of it goes.
    An empty half is left out."""
    texts = [(case.pair.source.words, case.pair.target.words) for case in cases]
    halves: dict[str, list[int]] = {"dev": [], "test": []}
    for group in grouped(texts):
        name = cases[group[0]].pair.ref
        is_odd = hashlib.sha256(name.encode()).digest()[-1] % 2
        halves["test" if is_odd else "dev"] += group
    return {half: sorted(places) for half, places in halves.items() if places}


def _only(
    places: Sequence[int], cases: Sequence[PhraseCase], outcomes: Sequence[Outcome]
) -> tuple[list[PhraseCase], list[Outcome]]:
    return [cases[at] for at in places], [outcomes[at] for at in places]


def _learnt_on_dev(
    cases: Sequence[PhraseCase],
    halves: dict[str, list[int]],
    shipped: PhraseAligner,
    seed: int,
) -> dict[str, Any]:
    """By trees the figures of the test half, with weights fitted on the other half;
    nothing where a half is empty."""
    if len(halves) < 2:
        return {}
    aligner_of = _fitted_without(cases, shipped, 2, seed, [halves["test"]])
    rest = [cases[at] for at in halves["test"]]
    figures = {}
    for method in ("forest", "one-best", "gold-trees"):
        outcomes = run_method(rest, method, lambda _: aligner_of(halves["test"][0]))
        figures[method] = scores(rest, outcomes, multiword=False)
    return figures


def _row(
    cases: Sequence[PhraseCase], outcomes: Sequence[Outcome], p: Sequence[float]
) -> dict[str, Any]:
    missing = [addable(one) for one in outcomes]
    return {
        **scores(cases, outcomes, multiword=False),
        "multiword": scores(cases, outcomes, multiword=True),
        "reachability": sum(one.reached for one in outcomes) / len(outcomes),
        "supported": sum(map(is_supported, outcomes)) / len(outcomes),
        "not_maximum": sum(n > 0 for n in missing),
        "addable": sum(missing),
        "uas": attachment_of(cases, outcomes).uas,
        "p_recall": p[0],
        "p_precision": p[1],
    }


def _states(
    cases: Sequence[PhraseCase],
    em: Mapping[str, EmState],
    *,
    folds: int,
    seed: int,
) -> dict[str, Callable[[int], EmState]]:
    """Return the rows of the paper's features and their weights by pair."""
    states = {"untrained": _always(EmState())}
    for name, state in em.items():
        states[name] = _always(state)
    if em:
        first = next(iter(em.values()))
        for name, begin in (("taught", EmState()), ("em-taught", first)):
            states[name] = taught_crossfit(cases, folds, thesaurus(), begin, seed=seed)
    return states


def _gains(
    rows: dict[str, Any], counts: dict[str, Counts], em: Iterable[str], seed: int
) -> dict[str, dict[str, Any]]:
    """Return what each part of the method adds, and every row to the first."""
    first, *others = list(em) or ["em"]  # "em" of the table is the first file
    wanted = {
        name: (first if more == "em" else more, first if less == "em" else less)
        for name, (more, less) in GAINS.items()
    } | {name: (name, "untrained") for name in others}
    base, *more_rows = rows
    pairs = [(name, base) for name in more_rows]
    known = set(wanted.values())
    wanted |= {f"{x} over {y}": (x, y) for x, y in pairs if (x, y) not in known}
    return {
        name: _gain(counts[less], counts[more], seed)
        for name, (more, less) in wanted.items()
        if {more, less} <= rows.keys()
    }


def _counts(cases: Sequence[PhraseCase], outcomes: Sequence[Outcome]) -> Counts:
    of = (pair_counts(cases, outcomes, multiword=only) for only in (False, True))
    return dict(zip(NODES, of, strict=True))


def _p(before: Counts, after: Counts, seed: int) -> list[float]:
    """Return p of recall and of precision, as the table shows them."""
    rng, nodes = np.random.default_rng(seed), NODES[0]
    return [
        ratio_swap_p(before[nodes][:, k], after[nodes][:, k], rng) for k in range(2)
    ]


def _gain(
    before: Counts, after: Counts, seed: int, at: Sequence[int] | None = None
) -> dict[str, Any]:
    """Return the gain of F1, of all nodes and of phrases, over the pairs ``at``, and p
    of recall and of precision."""
    kept = slice(None) if at is None else at
    one, other = ({name: x[name][kept] for name in NODES} for x in (before, after))
    p = _p(one, other, seed)
    return {"p_recall": p[0], "p_precision": p[1]} | {
        name: f1_change(one[name], other[name], np.random.default_rng(seed))
        for name in NODES
    }


def f1_change(
    before: Floats, after: Floats, rng: np.random.Generator
) -> dict[str, float]:
    """Return the ``difference`` of F1 between two rows of ``pair_counts``, in points,
    with its 95 % interval (pairs drawn) and ``p`` (pairs swapped)."""
    change, totals = after - before, (before.sum(0), after.sum(0))
    swaps = rng.integers(0, 2, (DRAWS, len(change))).astype(np.float64)
    shift = np.tensordot(swaps, change, 1)
    apart = np.abs(_f1(totals[1] - shift) - _f1(totals[0] + shift))
    difference = float(_f1(totals[1]) - _f1(totals[0]))
    drawn = resample(len(change), DRAWS, rng)
    gains = _f1(np.tensordot(drawn, after, 1)) - _f1(np.tensordot(drawn, before, 1))
    low, high = np.quantile(gains[1:], [0.025, 0.975])
    hits = int((apart >= abs(difference) - 1e-12).sum())
    points = {"difference": difference, "low": float(low), "high": float(high)}
    return {name: 100 * one for name, one in points.items()} | {
        "p": (hits + 1) / (DRAWS + 1)
    }


def _f1(sums: Floats) -> Floats:
    """F1 of mean recall and mean precision over ``(…, 2, m, 2)`` counts."""
    ratios = sums[..., 0] / np.maximum(sums[..., 1], 1)
    recall, precision = np.moveaxis(ratios.mean(-1), -1, 0)
    f1: Floats = 2 * recall * precision / np.maximum(recall + precision, 1e-12)
    return f1


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return the results as plain values."""
    data: Path = options["data"]
    path = data / FILE if (data / FILE).exists() else data / Path(FILE).name
    cases = read(path, backend_of(options))
    say(f"{len(cases)} pairs parsed")
    em = {path.stem: em_state(path) for path in options["em"]}
    kept = options["self_trained"]
    return table(
        cases,
        folds=options["folds"],
        seed=options["seed"],
        em=em,
        self_trained=PhraseAligner.load(kept) if kept else None,
        methods=(
            []
            if options["em_only"]
            else ["forest", *(options["method"] or METHODS[1:])]
        ),
    )


def lines(results: dict[str, Any]) -> Iterator[str]:
    """Yield the paper's figures next to ours, in percent."""
    yield (
        f"{'':14}{'paper':>14}{'UAS':>7}{'reach':>7}{'ours':>17}{'phrases':>16}"
        f"{'UAS':>7}{'p':>14}{'not max':>11}"
    )
    first = next(iter(results["rows"].values()))
    human = first["human_recall"], first["human_precision"]
    ours = f"{100 * human[0]:9.2f}{100 * human[1]:8.2f}"
    yield f"{'human':14}{_paper('human')}{ours}"
    for method, row in results["rows"].items():
        many = row["multiword"]
        yield (
            f"{method:14}{_paper(method)}"
            f"{100 * row['recall']:9.2f}{100 * row['precision']:8.2f}"
            f"{100 * many['recall']:8.2f}{100 * many['precision']:8.2f}"
            f"{100 * row['uas']:7.2f}"
            f"{row['p_recall']:7.3f}{row['p_precision']:7.3f}"
            f"{row['not_maximum']:6d}{row['addable']:5d}"
        )
    yield from _half_lines(results)
    yield f"{'gain of':26}{'F1, all nodes':>33}{'F1, phrases':>35}"
    for name, row in results["gains"].items():
        yield f"{name:26}{_shown(row)}"
    yield f"{results['pairs']} pairs. {NOTE}"


def _half_lines(results: dict[str, Any]) -> Iterator[str]:
    """Yield F1 of all nodes by halves, for each method."""
    sizes = [f"{half} ({n})" for half, n in results["halves"].items()]
    yield f"{'F1 of half':26}" + "".join(f"{size:>12}" for size in sizes)
    for method, row in results["rows"].items():
        cells = (100 * (row[half]["f1"] or 0) for half in results["halves"])
        yield f"{method:26}" + "".join(f"{cell:12.2f}" for cell in cells)
    for method, row in results["rows"].items():
        for half in results["halves"]:
            if method != "untrained" and "gain" in row[half]:  # rows of EM alone
                yield f"{method + ', ' + half:26}{_shown(row[half]['gain'])}"
    for method, row in results["learnt on dev"].items():
        yield f"{method + ', weights of dev':26}{'–':>12}{100 * row['f1']:12.2f}"


def _shown(row: dict[str, Any]) -> str:
    gains = (
        f"{one['difference']:+7.2f} ({one['low']:+.2f} to {one['high']:+.2f}) "
        f"p {one['p']:.4f}  "
        for one in (row[name] for name in NODES)
    )
    return "".join(gains)


def _paper(method: str) -> str:
    if method not in PAPER:
        return f"{'–':>14}{'':14}"
    recall, precision, uas, reach = PAPER[method]
    more = "".join(f"{'–' if one is None else one:>7}" for one in (uas, reach))
    return f"{recall:7.2f}{precision:7.2f}{more}"
