"""A corpus in a release: its bundle under pseudonyms, and the acts of its ledgers."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from annotator.exchange import bundle
from annotator.models import Corpus, TreeEvent, VerdictEvent
from annotator.services.releases.people import Pseudonyms
from core.formats import gemel
from core.formats.gemel import GemelItem

Act = dict[str, Any]


def lines(
    corpus: Corpus, name: str, people: Pseudonyms, record: Callable[[Act], None]
) -> Iterator[str]:
    """The lines of the bundle; ``name``: of the member; ``record`` takes the acts."""
    yield from gemel.write(_items(corpus, name, people, record))
    for act in (*_trees(corpus, people), *_verdicts(corpus, people)):
        record({**act, "corpus": name})


def _items(
    corpus: Corpus, name: str, people: Pseudonyms, record: Callable[[Act], None]
) -> Iterator[GemelItem]:
    revisions: dict[str, int] = {}
    for item in bundle.items(corpus):
        row = dict(item.row)
        for member in ("author", "by"):
            if member in row:
                row[member] = people[row[member]]
        if item.type == "layer":
            revisions[row["id"]] = row["revision"]
        if item.type == "event":
            if row["revision"] > revisions[row["layer"]]:
                continue  # it was made while this was read
            record({**row, "act": "link", "corpus": name})
        yield replace(item, row=row)


def _trees(corpus: Corpus, people: Pseudonyms) -> Iterator[Act]:
    rows = TreeEvent.objects.filter(draft__sentence__corpus=corpus)
    rows = rows.select_related("draft__sentence", "by")
    for one in rows.order_by("draft_id", "revision").iterator():
        yield {
            "act": "tree", "draft": one.draft.code,
            "sentence": one.draft.sentence.key, "uuid": str(one.uuid),
            "revision": one.revision, "op": one.op, "done": one.done,
            "by": people[one.by.username], "at": one.at.isoformat(),
        }  # fmt: skip


def _verdicts(corpus: Corpus, people: Pseudonyms) -> Iterator[Act]:
    rows = VerdictEvent.objects.filter(change__run__corpus=corpus)
    order = rows.select_related("change", "by").order_by("change_id", "revision")
    for one in order.iterator():
        yield {
            "act": "verdict", "change": one.change.code, "uuid": str(one.uuid),
            "revision": one.revision, "before": one.before, "after": one.after,
            "by": people[one.by.username] if one.by else "", "at": one.at.isoformat(),
        }  # fmt: skip
