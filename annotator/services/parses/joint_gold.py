"""What gold says of joint parses: of every change, and of the trees as a whole."""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotator.models import JointPair, JointRun, JointTree, Origin, Parse, TreeChange
from annotator.services.parses import accuracy
from annotator.services.parses.accuracy import Sides
from core.agreement.trees import attachment, changes
from core.errors import GemelError

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
    last = 0
    rows = run.results.select_related("pair").order_by("pk")
    while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
        last = chunk[-1].pk
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
        return None  # a stored text that is no tree is reported where it is shown


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
