"""``evaluate mixed-order``: trees, links and judgments in one order of work."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.agreement.correlation import rank_gaps, spearman
from core.agreement.figures import resample
from core.data.check import Floats, Ints
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.evaluation.phrase_alignment import (
    Outcome,
    PhraseCase,
    outcomes_of,
    read,
    span_of,
)
from core.forests.inside import bracket_chances
from core.forests.kbest import trees_of
from core.parsing.registry import Say, add_parser_options, backend_of
from core.phrase_alignment.supports import nodes_of
from core.pivoting.language_model import read_arpa
from core.pivoting.table import open_table
from core.pivoting.weighting import LEAST, fit_rows, known_rows, scored
from core.protocols import Analysis, ParserBackend
from lab.evaluation.commands.links_curve import base_of
from lab.evaluation.commands.weights_curve import ranks_of, read_swords
from lab.evaluation.commands.worklists import BATCH, WANT, bare_golds
from lab.evaluation.correcting import bare, brackets_of
from lab.evaluation.mixed import (
    MIXES,
    OTHERS,
    PLAYED,
    WorkCourse,
    WorkPiece,
    play,
    wrong_majority,
)

HELP = "trees, links and judgments in one order, by expected errors a minute"
KINDS = ("trees", "links", "judgments")
TREES, LINKS, JUDGMENTS = range(3)
JUDGES = 3
Interval = list[float]  # estimate, low, high


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--gold", nargs="+", type=Path, required=True, metavar="PATH")
    add("--pairs", type=Path, required=True, metavar="FILE", help="ids as text:id")
    add("--judged", type=Path, required=True, metavar="FILE", help="Swords, .json.gz")
    add("--table", type=Path, required=True, help="as pivot build makes it")
    add("--arpa", type=Path, help="a language model")
    add_parser_options(parser)
    add("--trees", type=int, default=300, help="sentences drawn for each play")
    add("--words", type=float, default=750, help="words of trees corrected in an hour")
    add("--links", type=float, default=750, help="source words of pairs, in an hour")
    add("--seconds", type=float, default=12, help="of a judgment")
    add("--after", nargs="+", type=float, default=[30, 60, 120], help="minutes")
    add("--seeds", type=int, default=3)
    add("--replicates", type=int, default=1000, help="of the bootstrap")
    parser.set_defaults(format=None, max_tokens=0)


@dataclass(frozen=True, slots=True, eq=False)
class MixedWork:
    """What there is to do. ``judged``: components, people's value, phrase."""

    trees: list[WorkPiece]
    links: list[WorkPiece]
    judged: tuple[Floats, Floats, Ints]
    first: int  # cluster of the first phrase
    minutes: float  # of a paraphrase, all judges

    @property
    def n_clusters(self) -> int:
        return self.first + int(self.judged[2].max()) + 1


@dataclass(frozen=True, slots=True)
class Assumed:
    """What is varied: expected minutes by kind, times; those taken, times; whether
    half of the minutes goes with the errors; whether a paraphrase without judgments
    counts as right, not as a guess."""

    expected: tuple[float, float, float] = (1, 1, 1)
    taken: tuple[float, float, float] = (1, 1, 1)
    by_errors: bool = False
    is_proposed: bool = False


def _cases() -> dict[str, Assumed]:
    cases = {
        "as stated": Assumed(),
        "half of the minutes by errors": Assumed(by_errors=True),
        "paraphrases right until judged": Assumed(is_proposed=True),
    }
    for times in (0.5, 2.0):
        for at, kind in enumerate(KINDS):
            one = tuple(times if at == k else 1.0 for k in range(3))
            assert len(one) == 3
            cases[f"{kind} take {times:g}, known"] = Assumed(expected=one, taken=one)
            cases[f"{kind} take {times:g}, not known"] = Assumed(taken=one)
    return cases


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """By kind what is expected and what is wrong; by order the area, the errors removed
    a minute and the gains of the mixed order, over halves of the phrases and seeds; the
    areas' gains in every case; what weights learn from the judgments by then."""
    world = _world(options, say)
    result: dict[str, Any] = {"seeds": options["seeds"], "kinds": _calibration(world)}
    say(f"{result['kinds']}")
    drawn = resample(world.n_clusters, options["replicates"], np.random.default_rng(0))
    for name, case in _cases().items():
        plays = [played(world, options, case, s) for s in _turns(options)]
        courses = {o: [one[0][o] for one in plays] for o in PLAYED}
        areas = {o: _mean([one.areas(drawn) for one in c]) for o, c in courses.items()}
        gains = _gains(areas)
        say(f"{name}: {gains}")
        if name != "as stated":
            result.setdefault("cases", {})[name] = gains
            continue
        result["orders"] = {o: {"area": _interval(areas[o])} for o in PLAYED}
        result["gains"] = gains
        for after in options["after"]:
            rates = {
                o: _mean([one.rates(drawn, after) for one in c])
                for o, c in courses.items()
            }
            for order in PLAYED:
                row = {"rate": _interval(rates[order])}
                row["done"] = _done(plays, order, after)
                result["orders"][order][f"{after:g}"] = row
            result[f"gains in {after:g} minutes"] = _gains(rates)
        result["weights"] = _learned(world, plays, options)
    return result


def _turns(options: dict[str, Any]) -> list[tuple[int, int]]:
    """Seed, and which half of the phrases is judged."""
    return [(seed, half) for seed in range(1, options["seeds"] + 1) for half in (0, 1)]


def _mean(rows: Sequence[Floats]) -> Floats:
    return np.asarray(np.mean(rows, axis=0))


def _gains(values: dict[str, Floats]) -> dict[str, dict[str, Interval]]:
    """Of each mixed order over each other one."""
    return {
        mix: {o: _interval(values[mix] - values[o]) for o in OTHERS} for mix in MIXES
    }


def _interval(values: Floats) -> Interval:
    """The sample's, and 95 % of the replicates'."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return [round(float(x), 3) for x in (values[0], low, high)]


def _world(options: dict[str, Any], say: Say) -> MixedWork:
    backend = backend_of(options)
    trees = list(_trees(options, backend))
    say(f"{len(trees)} trees")
    n_files = 1 + max(one.cluster for one in trees)
    links = _links(read(options["pairs"], backend), n_files, options)
    say(f"{len(links)} pairs")
    judged = list(read_swords(options["judged"], backend))
    model = read_arpa(options["arpa"]) if options["arpa"] else None
    rows, people, group, _ = known_rows(
        open_table(options["table"]), judged, model, backend
    )
    say(f"{len(rows)} paraphrases")
    minutes = JUDGES * options["seconds"] / 60
    first = n_files + len(links)
    return MixedWork(trees, links, (rows, people, group), first, minutes)


def _trees(options: dict[str, Any], backend: ParserBackend) -> Iterator[WorkPiece]:
    golds, want = list(bare_golds(options)), WANT & backend.info.capabilities
    for begin in range(0, len(golds), BATCH):
        part = golds[begin : begin + BATCH]
        sentences = [Sentence.of(gold.words) for _, gold in part]
        for (at, gold), answer in zip(
            part, backend.analyse(sentences, want=want), strict=True
        ):
            if isinstance(answer, Analysis) and (made := _doubted(answer, gold)):
                minutes = gold.n_tokens * 60 / options["words"]
                yield WorkPiece(TREES, at, minutes, *made)


def _doubted(answer: Analysis, gold: Tree) -> tuple[float, float] | None:
    """Brackets that are expected to be wrong, and those that are."""
    if answer.forest is None or answer.edge_weights is None:
        return None
    trees = trees_of(answer, 1, words=gold.words)
    if not trees:
        return None
    chances = bracket_chances(answer.forest, answer.edge_weights)
    mine = brackets_of(bare(trees[0][1]))
    doubt = sum(n * (1 - min(1.0, chances.get(b, 0.0))) for b, n in mine.items())
    return doubt, float((mine - brackets_of(gold)).total())


def _links(
    cases: Sequence[PhraseCase], first: int, options: dict[str, Any]
) -> list[WorkPiece]:
    """Each text aligned by weights that were fitted on the others."""
    texts: dict[str, list[PhraseCase]] = {}
    for case in cases:
        texts.setdefault(case.pair.ref.split(":")[0], []).append(case)
    pieces: list[WorkPiece] = []
    for name, some in texts.items():
        for case, outcome in zip(
            some, outcomes_of(some, base_of(texts, name)), strict=True
        ):
            if outcome.aligned:
                minutes = case.pair.source.n_tokens * 60 / options["links"]
                wrong = _wrong_links(case, outcome)
                at, doubt = first + len(pieces), outcome.aligned.expected_errors
                pieces.append(WorkPiece(LINKS, at, minutes, doubt, wrong))
    return pieces


def _wrong_links(case: PhraseCase, outcome: Outcome) -> float:
    """Links that most annotators lack, and nulls that most of them linked."""
    votes = [cell for links in case.links.values() for cell in links]
    gold = {cell for cell in votes if 2 * votes.count(cell) > len(case.links)}
    wrong = len(outcome.cells - gold)
    if one := outcome.aligned:
        for which, side in enumerate((one.source, one.target)):
            spans = {cell[which] for cell in gold}
            linked = {pair[which] for pair in one.best.links}
            nulls = set(nodes_of(one.best, side, which)) - linked
            wrong += sum(span_of(side, v) in spans for v in nulls)
    return float(wrong)


def _calibration(world: MixedWork) -> dict[str, Any]:
    """Of each kind the items, their minutes, and the errors expected and removed."""
    everything = range(len(world.judged[1]))
    rng = np.random.default_rng(0)
    pieces = world.trees, world.links, judgments(world, everything, rng)[0]
    return {
        kind: {
            "items": len(some),
            "minutes": round(sum(one.minutes for one in some), 1),
            "expected": round(sum(one.expected for one in some), 1),
            "removed": round(sum(one.removed for one in some), 1),
        }
        for kind, some in zip(KINDS, pieces, strict=True)
    }


def judgments(
    world: MixedWork,
    rows: Sequence[int],
    rng: np.random.Generator,
    *,
    proposed: bool = False,
) -> tuple[list[WorkPiece], Floats]:
    """Paraphrases judged by ``JUDGES`` people drawn by the share that accepted it, and
    the shares of theirs. Most accept it, or do not, or neither."""
    _, people, group = world.judged
    votes = rng.binomial(JUDGES, people) / JUDGES
    expected = 0.5 - wrong_majority(JUDGES)
    pieces = []
    for at in rows:
        truth, said = people[at] > 0.5, votes[at] > 0.5
        before = float(not truth) if proposed else 0.5
        removed = 0.0 if people[at] == 0.5 else before - float(truth != said)
        cluster = world.first + int(group[at])
        pieces.append(
            WorkPiece(
                JUDGMENTS, cluster, world.minutes, expected, removed, at, is_seen=False
            )
        )
    return pieces, votes


_Played = tuple[dict[str, WorkCourse], list[WorkPiece], Floats, NDArray[np.int64]]


def played(
    world: MixedWork, options: dict[str, Any], case: Assumed, turn: tuple[int, int]
) -> _Played:
    """Each order's course over the same pieces; these, the judges' shares, and the
    phrases held out."""
    seed, half = turn
    rng = np.random.default_rng(seed)
    n_phrases = int(world.judged[2].max()) + 1
    phrases = np.array_split(rng.permutation(n_phrases), 2)
    ours = np.flatnonzero(np.isin(world.judged[2], phrases[half])).tolist()
    chosen = rng.permutation(len(world.trees))[: options["trees"]]
    judged, votes = judgments(world, ours, rng, proposed=case.is_proposed)
    pieces = [*(world.trees[at] for at in chosen), *world.links, *judged]
    taken = minutes_taken(pieces, case)
    pieces = [
        replace(one, minutes=one.minutes * case.expected[one.kind]) for one in pieces
    ]
    courses = {
        order: play(pieces, order, np.random.default_rng((seed, half)), taken=taken)
        for order in PLAYED
    }
    return courses, pieces, votes, phrases[1 - half]


def minutes_taken(pieces: Sequence[WorkPiece], case: Assumed) -> Floats:
    """Minutes; where half goes by errors, trees and links have their old sums."""
    each = [one.minutes * case.taken[one.kind] for one in pieces]
    minutes = np.array(each, float)
    if case.by_errors:
        removed = np.array([one.removed for one in pieces])
        for kind in (TREES, LINKS):
            here = np.array([one.kind == kind for one in pieces])
            of_error = minutes[here].sum() / removed[here].sum()
            minutes[here] = (minutes[here] + removed[here] * of_error) / 2
    return minutes


def _done(plays: Sequence[_Played], order: str, after: float) -> list[float]:
    """Pieces of each kind by then, on average."""
    counts = np.zeros(len(KINDS))
    for courses, pieces, *_ in plays:
        for at in courses[order].until(after):
            counts[pieces[at].kind] += 1
    return [round(float(n), 1) for n in counts / len(plays)]


def _learned(
    world: MixedWork, plays: Sequence[_Played], options: dict[str, Any]
) -> dict[str, Any]:
    """Rho on the phrases held out, by weights of the judgments so far (the baseline
    while there are fewer than ``LEAST``), and the mixed order's gain."""
    rows, people, group = world.judged
    result = {}
    for after in options["after"]:
        columns = {}
        for order in PLAYED:
            ranks = np.zeros((options["seeds"], len(rows)))
            for at, (courses, pieces, votes, held) in enumerate(plays):
                done = [pieces[k].row for k in courses[order].until(after)]
                seen, out = [k for k in done if k >= 0], np.isin(group, held)
                scores = rows[out, 0]
                if len(seen) >= LEAST:
                    scores = scored(fit_rows(rows[seen], votes[seen]), rows[out])
                ranks[at // 2, out] = ranks_of(scores)
            columns[order] = _mean([*ranks])
        result[f"{after:g}"] = {
            "rho": {o: round(spearman(x, people), 3) for o, x in columns.items()},
            "over in turn": rank_gaps(
                columns, columns["in turn"], people, group,
                replicates=options["replicates"], rng=np.random.default_rng(0),
            ),
        }  # fmt: skip
    return result
