"""``evaluate substitution``: a parser with and without lexical substitution.

Caplan et al., sections 4.1 and 4.2: tags of query words, F1 over all sentences and
over those whose parse changed, and whether the difference is more than chance.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from core.agreement.paired import f1_swap_p
from core.agreement.trees import parseval
from core.agreement.trees.parseval import Parseval
from core.data.tree import Tree
from core.errors import FormatError
from core.evaluation.golds import Gold, add_gold, bare, gold_of
from core.forests.kbest import trees_of
from core.parsing.registry import Say, add_parser_options, backend_of
from core.protocols import Analysis, Capability, Step
from core.substitution import linking
from core.substitution.linking import LinkingCounts
from core.substitution.options import Method, Options
from core.substitution.substituting import (
    SubstitutedParse,
    Substituting,
    SubstitutionPlan,
)

WANT: frozenset[Capability] = frozenset({"constituents", "tags"})
SEED = 16


@dataclass(slots=True)
class Effect:
    """Counts before and after; a row of ``rows`` is a sentence."""

    replaced: int = 0
    changed: int = 0
    words: int = 0
    tags_before: int = 0
    tags_after: int = 0
    unknown: int = 0
    tokens: int = 0
    rows: list[tuple[Parseval, Parseval, bool]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """F1 and tags of query words in percent; None where there is nothing."""
        changed = [row for row in self.rows if row[2]]
        return {
            "sentences": len(self.rows),
            "replaced": self.replaced,
            "changed": self.changed,
            "f1": _f1s(self.rows),
            "tags": {
                "before": _percent(self.tags_before, self.words),
                "after": _percent(self.tags_after, self.words),
            },
            "p": self.p(),
            "changed_only": {"f1": _f1s(changed)},
            "query_words": self.words,
            "unknown_words": _percent(self.unknown, self.tokens),
        }

    def __add__(self, other: "Effect") -> "Effect":
        """The counts of both, the rows of ``other`` last."""
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return Effect(*(a + b for a, b in pairs))

    def p(self, *, draws: int = 10_000) -> float:
        """p of the difference in F1; two-sided, sentences swapped."""
        table = np.array(
            [
                [b.matched, b.guessed + b.gold, a.matched, a.guessed + a.gold]
                for b, a, _ in self.rows
            ],
            dtype=np.float64,
        ).reshape(-1, 4)
        rng = np.random.default_rng(SEED)
        return round(f1_swap_p(table[:, :2], table[:, 2:], rng, draws=draws), 4)


def effect(
    parser: Substituting, golds: Sequence[Gold], *, batch: int = 256
) -> Iterator[tuple[int, Effect]]:
    """How many sentences are done, and the counts so far; the last pair is the whole.

    Query words are those with a candidate, of all sentences, whether or not they were
    replaced. A sentence without a gold tree is left out; one that is answered by an
    error counts as parsed all wrong.
    """
    with_trees = [gold for gold in golds if gold.tree]
    total = Effect()
    for begin in range(0, len(with_trees), batch):
        part = with_trees[begin : begin + batch]
        sentences = [bare(gold.sentence) for gold in part]
        plans = parser.plans(sentences)
        for gold, plan, reading in zip(
            part, plans, parser.readings(sentences, want=WANT), strict=True
        ):
            _count(total, parser, gold, plan, reading)
        yield begin + len(part), total


def _count(
    total: Effect,
    parser: Substituting,
    gold: Gold,
    plan: SubstitutionPlan,
    reading: SubstitutedParse,
) -> None:
    assert gold.tree is not None
    before, after = _tree(reading.before), _tree(reading.after)
    is_changed = before != after
    total.rows.append(
        (
            parseval.compare(gold.tree, before),
            parseval.compare(gold.tree, after),
            is_changed,
        )
    )
    total.replaced += bool(getattr(reading.after, "advice", ()))
    total.changed += is_changed
    forms = gold.sentence.forms
    total.tokens += len(forms)
    total.unknown += sum(not parser.candidates.training_count(f) for f in forms)
    for query in plan.queries:
        if query.candidates:
            wanted = gold.tree.tags[query.token]
            total.words += 1
            total.tags_before += _tag(reading.before, query.token) == wanted
            total.tags_after += _tag(reading.after, query.token) == wanted


def _tree(answer: Analysis | Exception) -> Tree | None:
    trees = trees_of(answer, 1) if isinstance(answer, Analysis) else []
    return trees[0][1] if trees else None


def _tag(answer: Analysis | Exception, token: int) -> str:
    has_tags = isinstance(answer, Analysis) and answer.xpos
    return answer.xpos[token] if has_tags else ""  # type: ignore[union-attr]


def _f1s(rows: Sequence[tuple[Parseval, Parseval, bool]]) -> dict[str, float | None]:
    return {
        "before": _percent_f1(sum((row[0] for row in rows), Parseval())),
        "after": _percent_f1(sum((row[1] for row in rows), Parseval())),
    }


def _percent_f1(score: Parseval) -> float | None:
    return round(100 * score.f1, 2) if score.sentences else None


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


HELP = "measure a parser with and without lexical substitution (Caplan et al.)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_gold(parser)
    add = parser.add_argument
    add(
        "--linking",
        nargs="+",
        type=Path,
        required=True,
        metavar="PATH",
        help="plain text of the linking corpus, one tokenised sentence per line",
    )
    add(
        "--cache",
        type=Path,
        metavar="FILE",
        help="file that keeps the counts of --linking",
    )
    add("--sample", type=int, default=0, metavar="N", help="draw N sentences at random")
    add(
        "--method",
        choices=get_args(Method),
        help="method of substitution (default: the best one)",
    )
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Figures before and after; what could not be read is under "unreadable"."""
    chosen = replace(Options(), method=options["method"] or Options().method)
    return measured(options, chosen, say)[0]


def measured(
    options: dict[str, Any], chosen: Options, say: Say
) -> tuple[dict[str, Any], Substituting, list[Gold]]:
    """The figures, the parser with substitution, and the gold sentences."""
    golds, unreadable = gold_of(options)
    golds = sampled(golds, options["sample"])
    counts = linking_of(options["linking"], options["cache"], say)
    parser = Substituting(backend_of(options), counts, chosen)
    whole = None
    for done, partial in effect(parser, golds):
        say(f"{done} of {len(golds)} sentences")
        whole = partial
    if whole is None:
        raise FormatError("no gold sentence with a tree; see --gold and --max-tokens")
    results = {
        "engine": f"{parser.info.name} {parser.info.version}",
        **whole.to_json(),
        "options": {f.name: getattr(parser.options, f.name) for f in fields(Options)},
        "linking_tokens": counts.n_tokens,
        "unreadable": unreadable,
    }
    return results, parser, golds


def linking_of(
    paths: Sequence[Path], cache: Path | None, say: Say, *, licence: str = ""
) -> LinkingCounts:
    """The counts of these texts: out of ``cache`` if it holds them, else made."""
    if cache and cache.exists():
        kept = linking.load(cache)
        if kept.sources == tuple(path.name for path in paths):
            return kept
    for item in linking.counted(paths, licence=licence):
        if isinstance(item, Step):
            say(item.note)
        else:
            counts = item
    if cache:
        linking.save(counts, cache)
    return counts


def sampled(golds: Sequence[Gold], sample: int) -> list[Gold]:
    """A random order that is always the same, the first N; 0: all, as they come."""
    drawn = list(golds)
    if sample:
        random.Random(SEED).shuffle(drawn)  # noqa: S311 - a sample, no secret
    return drawn[:sample] if sample else drawn
