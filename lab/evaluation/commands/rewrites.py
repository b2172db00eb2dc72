"""``evaluate rewrites``: sentences parsed with machine-made rewrites of themselves."""

import argparse
import random
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

from core.data.tokens import Sentence
from core.evaluation.golds import read_golds
from core.evaluation.joint_parsing import (
    GoldPair,
    JointCase,
    PairRow,
    read_cases,
    read_pairs,
)
from core.joint_parsing.parser import WANT, JointParser
from core.joint_parsing.values import JointSettings, JointSide
from core.parsing.registry import Say, add_parser_options, backend_of
from core.pivoting.language_model import read_arpa
from core.pivoting.table import open_table
from core.protocols import Analysis, ParserBackend
from core.text.wordnet import find_thesaurus
from lab.evaluation import rewrites
from lab.evaluation.rewordings import rewordings
from lab.evaluation.rewrites import Filter, Rewrite

HELP = "parse sentences jointly with rewrites of themselves, against their gold"
SEED = 16
WANTED = 4  # rewrites of a sentence
N_BEST = 3
SLACKS = (0.2, 0.4, 0.8)
Made = list[tuple[Rewrite, Analysis]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--pairs", type=Path, required=True, metavar="FILE", help="as evaluate joint")
    add("--gold", type=Path, nargs="+", required=True, metavar="PATH")
    add("--lm", type=Path, required=True, metavar="ARPA", help="trigram model")
    add("--table", type=Path, help="paraphrase table to take words from, too")
    add("--sample", type=int, default=300, metavar="N")
    add("--fresh", action="store_true", help="gold sentences outside --pairs instead")
    add("--held-out", action="store_true", help="all but the sample")
    add("--wanted", type=int, default=WANTED, help="rewrites of a sentence")
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Gain in UAS by kind of rewrite and way to use them, filtered or not; p; how many
    rewrites a sentence has, and CPU seconds."""
    backend, parser = backend_of(options), JointParser.load()
    if options["fresh"]:
        cases = _fresh(options, backend)
    else:
        cases = read_cases(options["pairs"], options["gold"], backend, say)[0]
        draw = random.Random(SEED)  # noqa: S311
        drawn = draw.sample(range(len(cases)), min(options["sample"], len(cases)))
        rest = sorted(set(range(len(cases))) - set(drawn))
        cases = [cases[at] for at in (rest if options["held_out"] else drawn)]
    say(f"{len(cases)} sentences")
    thesaurus, reason = find_thesaurus()
    if reason:
        say(reason)
    sieve = Filter(read_arpa(options["lm"]), thesaurus)
    figures: dict[str, Any] = {}
    written = JointSettings("bp")
    if not options["fresh"]:
        figures["written paraphrase"] = _gains(
            cases, [parser.parse(x.source, x.target, written).source for x in cases]
        )
    figures["n-best consensus"] = _gains(
        cases, [rewrites.consensus_side(case.source) for case in cases]
    )
    makers = _makers(options, sieve)
    made_by = {}
    for name, maker in makers.items():
        used = None if options["fresh"] else sieve
        made_by[name] = _parsed(cases, maker, backend, used)
        say(f"{name}: made and parsed")
    made_by["all kinds"] = [
        (
            [pair for kind in made_by.values() for pair in kind[at][0]],
            [pair for kind in made_by.values() for pair in kind[at][1]],
        )
        for at in range(len(cases))
    ]
    for name, made in made_by.items():
        for which, kept in (("all", 0), ("filtered", 1))[: 2 - options["fresh"]]:
            some = [one[kept] for one in made]
            count = sum(map(len, some)) / len(cases)
            figures[f"{name}, {which}: rewrites"] = round(count, 2)
            figures[f"{name}, {which}: summed"] = _gains(
                cases,
                [
                    rewrites.summed_side(case.source, x)
                    for case, x in zip(cases, some, strict=True)
                ],
            )
            for slack in SLACKS:
                figures[f"{name}, {which}: bp {slack}"] = _gains(
                    cases,
                    [
                        rewrites.joint_side(parser, case.source, x, slack)
                        for case, x in zip(cases, some, strict=True)
                    ],
                )
        say(f"{name}: measured")
    for slack in () if options["fresh"] else SLACKS:
        for name, is_with in (("written", False), ("written and all kinds", True)):
            figures[f"{name}: bp {slack}"] = _gains(
                cases,
                [
                    rewrites.joint_side(
                        parser, case.source, x[0] if is_with else [], slack, case.target
                    )
                    for case, x in zip(cases, made_by["all kinds"], strict=True)
                ],
            )
    return figures | {"cpu_seconds": round(process_time(), 1)}


def _fresh(options: Mapping[str, Any], backend: ParserBackend) -> list[JointCase]:
    """Gold sentences that are no source of the pairs, by chance, always the same."""
    seen = {row.source.forms for row in read_pairs(options["pairs"])}
    rows: list[GoldPair] = []
    for path in options["gold"]:
        for gold in read_golds([path])[0]:
            n, forms = len(gold.sentence), gold.sentence.forms
            fits = rewrites.SHORTEST <= n <= rewrites.LONGEST and forms not in seen
            if gold.deps is not None and fits:
                seen.add(forms)
                text = Sentence.of(forms)
                row = PairRow(str(path), f"{len(rows)}", text, text, ())
                rows.append(GoldPair(row, gold))
    drawn = random.Random(SEED).sample(rows, min(options["sample"], len(rows)))  # noqa: S311
    answers = backend.analyse([pair.row.source for pair in drawn], want=WANT)
    return [
        JointCase(pair, one, one, None)
        for pair, one in zip(drawn, answers, strict=True)
        if isinstance(one, Analysis)
    ]


def _makers(options: Mapping[str, Any], sieve: Filter) -> dict[str, Any]:
    draw = random.Random(SEED)  # noqa: S311
    wanted = options["wanted"]
    ways = rewordings({})
    makers: dict[str, Any] = {
        "tree": lambda source: rewrites.tree_rewrites(
            source, ways, draw, wanted=wanted, n_best=N_BEST, lemma_of=str.lower
        )
    }
    if sieve.thesaurus is not None:
        known = set(read_arpa(options["lm"]).words)
        related = sieve.thesaurus.related

        @cache
        def synonyms(form: str) -> tuple[str, ...]:
            found = related(form)
            words = found.synonyms - found.lemmas - {form}
            return tuple(sorted(w for w in words if w in known and w.isalpha()))

        makers["word (WordNet)"] = lambda source: rewrites.word_rewrites(
            source,
            lambda one, at: (
                synonyms(one.sentence.forms[at].lower())
                if one.xpos[at] != "NNS"
                else ()
            ),
            draw,
            wanted=wanted,
        )
    if options["table"]:
        table = open_table(options["table"])

        @cache
        def pivoted(form: str) -> tuple[str, ...]:
            rows = table.lookup(form, None, k=5)
            return tuple(x.text for x in rows if x.text.isalpha() and x.p >= 0.02)

        makers["word (pivots)"] = lambda source: rewrites.word_rewrites(
            source,
            lambda one, at: pivoted(one.sentence.forms[at].lower()),
            draw,
            wanted=wanted,
        )
    return makers


def _parsed(
    cases: Sequence[JointCase], maker: Any, backend: ParserBackend, sieve: Filter | None
) -> list[tuple[Made, Made]]:
    """Of each case the rewrites with their analyses: all, and those that pass."""
    made = [
        maker(case.source)
        if rewrites.SHORTEST <= len(case.source.sentence) <= rewrites.LONGEST
        else []
        for case in cases
    ]
    answers = iter(
        backend.analyse([x.sentence for some in made for x in some], want=WANT)
    )
    result = []
    for case, some in zip(cases, made, strict=True):
        parsed = [(one, next(answers)) for one in some]
        every = [(x, y) for x, y in parsed if isinstance(y, Analysis)]
        kept: Made = []
        if sieve is not None and some:
            sound = sieve.sound(case.source.sentence, some)
            kept = [
                (x, y)
                for x, y in every
                if x in sound and sieve.grammatical(case.source, y)
            ]
        result.append((every, kept))
    return result


def _gains(cases: Sequence[JointCase], sides: Sequence[JointSide]) -> str:
    rows = rewrites.gains(cases, sides)
    return "; ".join(f"{name}: {gain:+.2f} (p {p:.3f})" for name, gain, p, _ in rows)
