"""``evaluate weights-curve``: what paraphrase weights learn from judgments so far."""

import argparse
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.correlation import rank_gaps, spearman
from core.data.check import Floats, Ints
from core.forests.kbest import trees_of
from core.parsing.registry import Say, add_parser_options, backend_of
from core.pivoting.labels import ccg_labels
from core.pivoting.language_model import read_arpa
from core.pivoting.table import open_table
from core.pivoting.weighting import (
    ALONE,
    PLACED,
    JudgedSubstitute,
    Site,
    fit_rows,
    known_rows,
    scored,
)
from core.protocols import ParserBackend
from core.text.tokenize import tokenize

HELP = "weights of a paraphrase table that learn from the judgments so far (Swords)"
DRAWS = 1_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--judged", type=Path, required=True, metavar="FILE", help="Swords, .json.gz")
    add("--table", type=Path, required=True, help="as pivot build makes it")
    add("--arpa", type=Path, help="a language model")
    add_parser_options(parser)
    add("--sizes", nargs="+", type=int, default=[5, 10, 20, 40, 80])
    add("--seeds", type=int, default=3)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """By targets judged: the gain in rho on the half of the targets held out, with an
    interval (bootstrap over targets; means over seeds of the ranks). ``alone`` over the
    baseline, as in look-ups; ``placed`` over each of the paper's eight conditions and
    the fit of vectors."""
    backend = backend_of(options)
    judged = list(read_swords(options["judged"], backend))
    model = read_arpa(options["arpa"]) if options["arpa"] else None
    table = open_table(options["table"])
    rows, people, group, phrases = known_rows(table, judged, model, backend)
    say(f"{len(rows)} of {len(judged)} substitutes known, {len(phrases)} phrases")
    result: dict[str, Any] = {"judged": len(judged), "known": len(rows)}
    bases = _conditions(rows)
    for name, width in (("alone", len(ALONE)), ("placed", len(PLACED))):
        columns = {
            str(n): np.mean(
                [
                    ranks_of(_held_out(rows[:, :width], people, group, n, seed))
                    for seed in range(1, options["seeds"] + 1)
                ],
                axis=0,
            )
            for n in options["sizes"]
        }
        result[name] = {}
        for base in ["baseline"] if name == "alone" else bases:
            rng = np.random.default_rng(0)
            gaps = rank_gaps(
                columns, bases[base], people, group, replicates=DRAWS, rng=rng
            )
            rho = spearman(bases[base], people)
            result[name][base] = {"rho": rho, **gaps}
            say(f"{name} over {base}: {result[name][base]}")
    return result


def _conditions(rows: Floats) -> dict[str, Floats]:
    """The scores of the paper's eight conditions, four without a language model, and of
    the fit of vectors."""
    names = [name for name in PLACED if name in ("baseline", "any label")]
    names += [name for name in PLACED if name.startswith("labels here")]
    plain = {name: rows[:, PLACED.index(name)] for name in names}
    fit = {"fit of vectors": rows[:, PLACED.index("fit of vectors")]}
    model = rows[:, PLACED.index("language model")]
    if not np.isfinite(model).all():
        return plain | fit
    both = {f"{name}, language model": x + model for name, x in plain.items()}
    return plain | both | fit


def _held_out(rows: Floats, people: Floats, group: Ints, n: int, seed: int) -> Floats:
    """Scores of each half of the groups by weights of ``n`` groups of the other."""
    turn = np.random.default_rng(seed).permutation(int(group.max()) + 1)
    half = len(turn) // 2
    scores = np.zeros(len(rows))
    for pool, held in ((turn[:half], turn[half:]), (turn[half:], turn[:half])):
        seen, other = np.isin(group, pool[:n]), np.isin(group, held)
        scores[other] = scored(fit_rows(rows[seen], people[seen]), rows[other])
    return scores


def ranks_of(scores: Floats) -> Floats:
    """Ranks from 0 to 1, so that seeds count alike."""
    return np.argsort(np.argsort(scores, kind="stable"), kind="stable") / len(scores)


def read_swords(path: Path, backend: ParserBackend) -> Iterator[JudgedSubstitute]:
    """Yield each judged substitute; its value: the share of TRUE."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        data = json.load(lines)
    sites = _sites(data, backend)
    for key, row in data["substitutes"].items():
        votes = data["substitute_labels"][key]
        if (site := sites.get(row["target_id"])) is not None:
            share = votes.count("TRUE") / len(votes)
            yield JudgedSubstitute(site, row["substitute"].lower(), share)


def _sites(data: dict[str, Any], backend: ParserBackend) -> dict[str, Site]:
    """Targets of one token, by their keys, in their contexts."""
    found: dict[str, tuple[Any, int]] = {}
    for key, row in data["targets"].items():
        sentence = tokenize(data["contexts"][row["context_id"]]["context"])
        starts = [span.start for span in sentence.offsets]
        if row["offset"] in starts:
            at = starts.index(row["offset"])
            if sentence.forms[at] == row["target"]:
                found[key] = sentence, at
    sentences = [sentence for sentence, _at in found.values()]
    answers = backend.analyse(sentences, want=frozenset({"constituents", "tags"}))
    return {
        key: Site(tuple(sentence.forms), at, at + 1, _labels(answer, at))
        for (key, (sentence, at)), answer in zip(found.items(), answers, strict=True)
    }


def _labels(answer: Any, at: int) -> tuple[str, ...]:
    if isinstance(answer, Exception):
        return ()
    tree = next((tree for _logp, tree in trees_of(answer, 1)), None)
    return tuple(ccg_labels(tree, at, at + 1)) if tree else ()
