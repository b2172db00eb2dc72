"""One pair before and after joint parsing, next to gold, and how its duals went."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, override

from annotator.models import (
    JointPair,
    JointRun,
    JointTree,
    Pair,
    Parse,
    Sentence,
    TreeChange,
)
from annotator.numbers import local
from annotator.pages import parses
from annotator.pages.ledger import Words, words_of
from annotator.pages.lengths import refuse_long
from annotator.pages.parses import Other, Shown
from annotator.services.parses import accuracy, ledger, parsers
from annotator.services.parses.accuracy import Sides
from annotator.svg import charts
from core.data.deps import DepTree
from core.data.tree import Tree
from core.errors import FormatError
from core.formats.forest_npz import StoredForest
from core.layout.charts import line_chart
from core.layout.measure import GlyphTable

MARKS = 10  # places named below a chart, at most
MEASURE = GlyphTable()
SOLUTIONS = {
    "bp": gettext_lazy(
        "each tree is the best one of its sentence, given the messages from the other; "
        "messages are approximate where several words are linked"
    ),
    "mbr": gettext_lazy(
        "each tree is the best one of its sentence, given the messages from the other"
    ),
    "pairs": gettext_lazy("the best pair of the trees that were looked at"),
}
PROVED = gettext_lazy("exact: no other pair of trees is better for this method")
KINDS = {
    Parse.Kind.CONSTITUENCY: gettext_lazy("Constituency"),
    Parse.Kind.DEPENDENCY: gettext_lazy("Dependency"),
}


@dataclass(frozen=True, slots=True)
class SentencePart:
    """One sentence: its drawings, and its changes as text; ``key``: "source" or
    "target"."""

    key: str
    name: str
    text: str
    language: str
    before: Shown | None
    after: Shown | None  # None where the method left the trees alone
    gold: Shown | None
    changes: list[tuple[TreeChange, Words]]
    errors: list[tuple[str, int, int]]  # kind of tree, before, after


@dataclass(frozen=True, slots=True)
class Convergence:
    """The rounds as two charts and as rows: number, dual, primal, disagreements."""

    values: str
    disagreements: str
    rows: list[tuple[int, float | None, float | None, int]]


def results_of(pair: Pair) -> list[JointPair]:
    """The pair's results, of the newest run first."""
    rows = pair.joint_results.select_related("run")
    return list(rows.order_by("-run__created_at", "-run_id"))


def result_of(results: Sequence[JointPair], code: str) -> JointPair | None:
    """The result of the run of this code; without a code, of the newest run."""
    return next((one for one in results if code in ("", one.run.code)), None)


def shown(
    pair: Pair, results: list[JointPair], result: JointPair | None
) -> dict[str, Any]:
    """Separate and joint trees next to gold, and the course of the duals."""
    refuse_long(pair)
    page: dict[str, Any] = {"pair": pair, "results": results, "found": result}
    if result is not None:
        page["sides"] = sides_of(result, pair)
        page["solution"] = solution_of(result)
        page["course"] = course_of(result)
    return page


def solution_of(result: JointPair) -> str:
    """How good the joint trees are by the run's own measure."""
    if result.exact:
        return str(SOLUTIONS.get(result.run.method, PROVED))
    if result.gap is None:
        return _("not proved, and no pair of trees was found that fits all constraints")
    gap = local(f"{result.gap:.3f}")
    return _("not proved: another pair could be better by at most %(n)s nats") % {
        "n": gap
    }


def sides_of(result: JointPair, pair: Pair) -> list[SentencePart]:
    """Source and target. The same number of queries whatever has changed."""
    rows = JointTree.objects.filter(result=result).select_related("before", "after")
    trees = {(row.side, row.kind): row for row in rows}
    changes = ledger.rows_of(result.run).filter(result=result).order_by("kind", "start")
    worded = [(change, words_of(change)) for change in changes]
    sentences = [pair.source, pair.target]
    golds = accuracy.sides_of(sentences, "", "")
    parts = []
    for name, key, gold in zip("st", ("source", "target"), golds, strict=True):
        mine = {kind: trees.get((name, kind)) for kind in Parse.Kind.values}
        changed = [one for one in worded if one[0].side == name]
        parts.append(_side(key, gold, mine, changed, result.run))
    return parts


Trees = tuple[Tree | None, DepTree | None]


def _side(
    key: str,
    gold: Sides,
    rows: dict[str, JointTree | None],
    changed: list[tuple[TreeChange, Words]],
    run: JointRun,
) -> SentencePart:
    sentence = gold.sentence
    con, dep = rows[Parse.Kind.CONSTITUENCY], rows[Parse.Kind.DEPENDENCY]
    old: Trees = _tree(con.before if con else None), _deps(dep.before if dep else None)
    new: Trees = _tree(con.after if con else None), _deps(dep.after if dep else None)
    right = gold.gold_tree if con else None, gold.gold_deps if dep else None
    forest = _forest(sentence, dep or con, run)
    title = _("Source") if key == "source" else _("Target")

    def draw(
        name: str, trees: Trees, other: Other, forest: StoredForest | None
    ) -> Shown | None:
        if not any(trees):
            return None
        about = f"{title}, {name}: {sentence.text}"
        return parses.shown(
            sentence.forms, *trees, title=about, forest=forest, other=other
        )

    tags = gold.gold_tree.tags if gold.gold_tree else ()
    return SentencePart(
        key,
        title,
        sentence.text,
        sentence.language,
        draw(_("separate"), old, Other(*new, ()), forest),
        draw(_("joint"), new, Other(*old, ()), forest),
        draw(_("gold"), right, Other(*new, tags), None),
        changed,
        [*_errors(con), *_errors(dep)],
    )


def _errors(row: JointTree | None) -> list[tuple[str, int, int]]:
    if row is None or row.errors_before is None or row.errors_after is None:
        return []
    return [(str(KINDS[Parse.Kind(row.kind)]), row.errors_before, row.errors_after)]


def _forest(
    sentence: Sentence, row: JointTree | None, run: JointRun
) -> StoredForest | None:
    """The parser's forest before the run: how certain it was alone."""
    parser, version = (
        str(run.parameters.get(name, "")) for name in ("parser", "parser_version")
    )
    return parsers.stored_forest(sentence, parser, version) if row else None


def _tree(parse: Parse | None) -> Tree | None:
    try:
        return parse.to_tree() if parse else None
    except FormatError:
        return None


def _deps(parse: Parse | None) -> DepTree | None:
    try:
        return parse.to_deps() if parse else None
    except FormatError:
        return None


def figures_of(result: JointPair, pair: Pair) -> dict[str, str]:
    """Every drawing of the page of a pair as SVG, by the name it is downloaded by, in
    English as all files are."""
    refuse_long(pair)
    with override("en"):
        return _figures(result, pair)


def _figures(result: JointPair, pair: Pair) -> dict[str, str]:
    pictures = {}
    for side in sides_of(result, pair):
        drawn = {"separate": side.before, "joint": side.after, "gold": side.gold}
        for name, shown in drawn.items():
            if shown is not None:
                pictures[f"{side.key}-{name}"] = shown.svg
    if course := course_of(result):
        pictures |= {"duals": course.values, "disagreements": course.disagreements}
    return pictures


def course_of(result: JointPair) -> Convergence | None:
    """The rounds as a drawing and text; None where the method has none."""
    if not result.rounds:
        return None
    duals, primals, counts = (list(row) for row in zip(*result.rounds, strict=True))
    rows = [(n, *row) for n, row in enumerate(result.rounds, 1)]
    values = [
        (_("dual: the bound"), duals),
        (_("primal: the best pair so far"), primals),
    ]
    last = ngettext("%(n)s round", "%(n)s rounds", len(rows)) % {"n": len(rows)}
    return Convergence(
        _chart(
            values,
            _("Dual and primal value, %(rounds)s") % {"rounds": last},
            _("round; values in nats"),
        ),
        _chart(
            [(_("disagreements"), counts)],
            _("Disagreements, %(rounds)s") % {"rounds": last},
            _("round"),
            low=0.0,
        ),
        rows,
    )


def _chart(
    series: list[tuple[str, list[Any]]],
    title: str,
    note: str,
    *,
    low: float | None = None,
) -> str:
    known = [v for _name, values in series for v in values if v is not None]
    top = max(known, default=1.0) if low is None else max([*known, MARKS / 2])
    ticks = _ticks(min(known, default=0.0) if low is None else low, top)
    n = len(series[0][1])
    step = -(-n // MARKS)
    places = [str(i) if (i - 1) % step == 0 else "" for i in range(1, n + 1)]
    chart = line_chart(
        series,
        places,
        low=ticks[0],
        high=ticks[-1],
        ticks_y=ticks,
        measure=MEASURE,
        note_x=note,
        percent=False,
    )
    ends = "; ".join(
        _("%(name)s: from %(first)s to %(last)s")
        % {"name": name, "first": _number(values[0]), "last": _number(values[-1])}
        for name, values in series
    )
    return charts.draw(chart, title=title, desc=ends)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from at most ``low`` to at least ``high``, four to eight."""
    wide = max(high - low, 1e-3 * max(abs(high), 1.0))
    size = 10.0 ** len(str(int(wide * 1e6))) / 1e7
    step = next(
        size * part for part in (0.1, 0.2, 0.5, 1, 2, 5) if wide / (size * part) <= 7
    )
    first = int(low // step)
    ticks = [round(first * step, 9)]
    while ticks[-1] < high - 1e-9 or len(ticks) < 2:
        ticks.append(round((first + len(ticks)) * step, 9))
    return ticks


def _number(value: float | None) -> str:
    return _("none") if value is None else local(f"{value:.2f}".removesuffix(".00"))
