"""The ledger: every arc and bracket that a run changed, and people's verdicts on them.

A verdict is compared with what the person saw, is idempotent by its uuid, and leaves an
event that stays: nothing is ever overwritten unseen.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q, Sum
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator import access
from annotator.errors import BadRequest, StaleEdit
from annotator.models import (
    JointPair,
    JointRun,
    JointTree,
    Origin,
    Parse,
    TreeChange,
    VerdictEvent,
)
from annotator.models.joint import TreeChangeQuerySet
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.changes import once
from annotator.services.parses import accuracy
from annotator.services.parses.accuracy import Sides
from core.agreement.trees import attachment, changes
from core.errors import GemelError

SORTS = {
    "": gettext_lazy("as in the corpus"),
    "-confidence": gettext_lazy("the new one is most probable for the parser"),
    "confidence": gettext_lazy("the old one is most probable for the parser"),
}
UNDONE = 100  # verdicts that a page can undo


@dataclass(frozen=True, slots=True)
class Verdict:
    """One message of a person. ``seen``: the revision they saw; ``value``: one of
    ``TreeChange.Verdict``, empty to take a verdict back."""

    uuid: UUID
    seen: int
    value: str


def rows_of(run: JointRun) -> TreeChangeQuerySet:
    """The run's changes with all that a row shows: no query more for any row."""
    rows = TreeChange.objects.filter(run=run).select_related(
        "judged_by", "result__pair__source", "result__pair__target"
    )
    columns = (f"result__pair__{side}__columns" for side in ("source", "target"))
    return rows.defer("result__rounds", "result__links", *columns)


def ordered(
    rows: TreeChangeQuerySet, run: JointRun, *, sort: str = "", after: str = ""
) -> TreeChangeQuerySet:
    """In the order of ``sort``, after the change with the code ``after``.

    Raises BadRequest on an unknown order.
    """
    if sort not in SORTS:
        raise BadRequest(_("There is no such order."), field="sort")
    rows_sorted = rows.order_by(*([sort] if sort else []), "pk")
    if not after:
        return rows_sorted
    last = TreeChange.objects.filter(run=run, code=after).first()
    if last is None:
        raise BadRequest(_("There is no such change here."), field="after")
    if not sort:
        return rows_sorted.filter(pk__gt=last.pk)
    beyond = "lt" if sort.startswith("-") else "gt"
    tied = Q(confidence=last.confidence, pk__gt=last.pk)
    return rows_sorted.filter(Q(**{f"confidence__{beyond}": last.confidence}) | tied)


def choices(run: JointRun) -> dict[str, list[str]]:
    """The values of the filters: domains, operations, labels."""
    rows = TreeChange.objects.filter(run=run).order_by()
    operations = set(rows.values_list("operations", flat=True).distinct())
    pairs = rows.values_list("label_before", "label_after").distinct()
    return {
        "domain": sorted(set(rows.values_list("domain", flat=True).distinct()) - {""}),
        "operation": sorted({name for text in operations for name in text.split("|")}),
        "label": sorted({label for pair in pairs for label in pair} - {""}),
    }


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of changes by what gold says and what people say.

    ``cells[gold][verdict]``. ``errors``: by kind of tree, errors before and after
    against gold over the whole run, where there is gold.
    """

    cells: Mapping[str, Mapping[str, int]]
    errors: Mapping[str, tuple[int, int]]

    @property
    def n(self) -> int:
        return sum(sum(row.values()) for row in self.cells.values())

    def of_gold(self, gold: str) -> int:
        return sum(self.cells[gold].values())

    def of_verdict(self, verdict: str) -> int:
        return sum(row[verdict] for row in self.cells.values())

    def real(self, gold: str) -> int:
        """Without those that people call both right or bad input, as in Arase &
        Tsujii 2017, section 6.4."""
        row = self.cells[gold]
        return self.of_gold(gold) - row["both"] - row["bad"]

    @property
    def reduction(self) -> float | None:
        """The share of the errors before that the real changes take away."""
        before = sum(both[0] for both in self.errors.values())
        return (self.real("fixed") - self.real("broken")) / before if before else None

    @property
    def judged(self) -> int:
        return self.n - self.of_verdict("")

    def share(self, verdict: str) -> float | None:
        """The share among judged ones; None if there are none."""
        return self.of_verdict(verdict) / self.judged if self.judged else None


def totals(rows: TreeChangeQuerySet, run: JointRun) -> Totals:
    """Counts over these rows; errors over the run. Two queries."""
    cells = {str(g): dict.fromkeys(TreeChange.Verdict.values, 0) for g in _GOLD}
    counted = rows.order_by().values_list("gold", "verdict").annotate(n=Count("pk"))
    for gold, verdict, n in counted:
        cells[gold][verdict] = n
    trees = JointTree.objects.filter(result__run=run, errors_before__isnull=False)
    sums = (
        trees.order_by()
        .values_list("kind")
        .annotate(Sum("errors_before"), Sum("errors_after"))
    )
    errors = {str(kind): (b, a) for kind, b, a in sums}
    return Totals(cells, errors)


_GOLD = (
    TreeChange.Gold.FIXED,
    TreeChange.Gold.BROKEN,
    TreeChange.Gold.NEUTRAL,
    TreeChange.Gold.NONE,
)


def find(code: str, *, run: JointRun) -> TreeChange:
    """The change of this code in the run; raises Http404."""
    try:
        return rows_of(run).get(code=code)
    except TreeChange.DoesNotExist:
        raise Http404(_("There is no such change in this ledger.")) from None


def give(change: TreeChange, verdict: Verdict, *, by: Anybody) -> TreeChange:
    """Store a verdict; the same message again changes nothing. The change, fresh.

    Raises NotAllowed, BadRequest, and StaleEdit, with what is there now, if the
    change moved on since ``said.seen``.
    """
    access.require(by, "annotate", change.run.corpus.project)
    if verdict.value not in TreeChange.Verdict.values:
        raise BadRequest(_("There is no such verdict."), field="verdict")
    with once(change, VerdictEvent, verdict.uuid):
        _put(change, verdict, by)
    change.refresh_from_db()
    return change


def _put(change: TreeChange, verdict: Verdict, by: Anybody) -> None:
    """Compare-and-set on the revision, and the event; raises StaleEdit."""
    here = TreeChange.objects.filter(pk=change.pk, revision=verdict.seen)
    before = here.values_list("verdict", flat=True).first()
    is_open = verdict.value == TreeChange.Verdict.NONE
    if before is None or not here.update(
        verdict=verdict.value,
        revision=verdict.seen + 1,
        judged_by_id=None if is_open else by.pk,
        judged_at=None if is_open else timezone.now(),
    ):
        raise _stale(change)
    VerdictEvent.objects.create(
        change=change,
        uuid=verdict.uuid,
        revision=verdict.seen + 1,
        before=before,
        after=verdict.value,
        by_id=by.pk,
    )


def _stale(change: TreeChange) -> StaleEdit:
    change.refresh_from_db()
    who = str(change.judged_by) if change.judged_by_id else _("someone")
    return StaleEdit(
        _("This change was judged elsewhere, by %(who)s, perhaps in another tab.")
        % {"who": who},
        change=change.code,
        revision=change.revision,
        verdict=change.verdict,
    )


def last_of(run: JointRun, user: Anybody) -> list[dict[str, Any]]:
    """The person's last verdicts in force, the latest last: the list for undo."""
    rows = VerdictEvent.objects.filter(change__run=run, by_id=user.pk)
    events = rows.select_related("change").order_by("-pk")[:UNDONE]
    return [
        {"change": e.change.code, "before": e.before, "revision": e.revision}
        for e in reversed(events)
        if e.revision == e.change.revision and e.after
    ]


CHUNK = 200


def is_stale(run: JointRun) -> bool:
    """Whether gold trees have come into the corpus since the run was compared."""
    newer = Q(origin=Origin.GOLD, created_at__gt=run.gold_at)
    return Parse.objects.filter(newer, sentence__corpus=run.corpus_id).exists()


def refresh(run: JointRun) -> None:
    """Compare all results of the run again, if there are newer gold trees."""
    if not is_stale(run):
        return
    now = timezone.now()
    for chunk in jobs.in_batches(run.results.select_related("pair"), CHUNK):
        compare(chunk)
    JointRun.objects.filter(pk=run.pk).update(gold_at=now)


@transaction.atomic
def compare(results: Sequence[JointPair]) -> None:
    """Write down gold's opinion of these results; their pairs are loaded.

    The same number of queries for any number of results.
    """
    keys = [result.pk for result in results]
    trees = list(
        JointTree.objects.filter(result__in=keys).select_related(
            "before__sentence", "after"
        )
    )
    gold = _gold(trees)
    for tree in trees:
        _count_errors(tree, gold[tree.before.sentence_id])
    JointTree.objects.bulk_update(trees, ["errors_before", "errors_after"])
    of_side = {(t.result_id, t.side): gold[t.before.sentence_id] for t in trees}
    rows = list(TreeChange.objects.filter(result__in=keys))
    _judge(rows, of_side)
    TreeChange.objects.bulk_update(rows, ["gold"])


def _gold(trees: Iterable[JointTree]) -> dict[int, Sides]:
    sentences = {tree.before.sentence_id: tree.before.sentence for tree in trees}
    sides_of = accuracy.sides_of(list(sentences.values()), "", "")
    return {sides.sentence.pk: sides for sides in sides_of}


def _count_errors(row: JointTree, gold: Sides) -> None:
    row.errors_before = _errors(row.before, gold)
    row.errors_after = _errors(row.after, gold)


def _errors(parse: Parse, gold: Sides) -> int | None:
    """Wrong heads, or wrong brackets; None where there is nothing to compare."""
    try:
        if parse.kind == Parse.Kind.CONSTITUENCY:
            tree = parse.to_tree()
            if gold.gold_tree is None:
                return None
            return changes.wrong_brackets(tree, gold.gold_tree)
        if gold.gold_deps is None:
            return None
        counts = attachment.compare(gold.gold_deps, parse.to_deps())
        return counts.tokens - counts.heads
    except GemelError:
        return None  # a stored text that is not a tree is reported where it is shown


def _judge(rows: Sequence[TreeChange], of_side: dict[tuple[int, str], Sides]) -> None:
    for row in rows:
        gold = of_side[row.result_id, row.side]
        if row.kind == TreeChange.Kind.BRACKET:
            row.gold = _of_bracket(row, gold)
        else:
            row.gold = _of_arc(row, gold)


def _of_arc(row: TreeChange, gold: Sides) -> str:
    if gold.gold_deps is None or row.head_before is None or row.head_after is None:
        return TreeChange.Gold.NONE
    before = row.head_before, row.label_before
    after = row.head_after, row.label_after
    return changes.of_arc(row.start, before, after, gold.gold_deps)


def _of_bracket(row: TreeChange, gold: Sides) -> str:
    if gold.gold_tree is None:
        return TreeChange.Gold.NONE
    added = bool(row.label_after)
    label = row.label_after or row.label_before
    (opinion,) = changes.of_spans([(row.start, row.end, label, added)], gold.gold_tree)
    return opinion
