"""What an import that ends early has left, and the way it is taken back.

Rows carry the job that brought them; only those go, and only while nothing else stands
on them: no link, tree, score or run that somebody else has made. Rows are deleted as
they are, without what refers to them, so that the database itself refuses to take more.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db import transaction
from django.db.models import F, Model, Q, QuerySet, Sum

from annotator.models import (
    AlignmentLayer,
    Corpus,
    Job,
    LinkEvent,
    PackedForest,
    Pair,
    Parse,
    Sentence,
)

BATCH = 1000
CORPUS = "corpus_code"  # of a job: the row that it writes to


def take_back(job: Job) -> int:
    """Delete the rows this job brought; how many pairs stay, since others use them."""
    named = Corpus.objects.filter(project=job.project, name=job.params["corpus"])
    if code := job.params.get(CORPUS):  # renamed or deleted meanwhile: wherever it is
        named = Corpus.objects.filter(code=code)
    corpus = named.first()
    if corpus is None:
        return 0
    of_sentence = {"sentence__corpus": corpus}
    for rows in (
        AlignmentLayer.objects.filter(pair__corpus=corpus),
        Pair.objects.filter(corpus=corpus),
        PackedForest.objects.filter(**of_sentence),
        Parse.objects.filter(**of_sentence),
        Sentence.objects.filter(corpus=corpus),
    ):
        for keys in _batches(rows.filter(job=job)):
            _delete(rows.model, keys, job)
    left = {"n_sentences": corpus.sentences.count(), "n_pairs": corpus.pairs.count()}
    Corpus.objects.filter(pk=corpus.pk).update(**left)
    if corpus.job_id == job.pk and not any(left.values()):
        _delete(Corpus, [corpus.pk], job)
    return corpus.pairs.filter(job=job).count()


def brought(job: Job, held: Mapping[str, int]) -> dict[str, int]:
    """How many rows are this job's, whichever of its runs wrote them; ``held``: how
    many its files hold, and where none, none is looked for among millions."""
    of = {
        "sentences": Sentence.objects,
        "pairs": Pair.objects,
        "parses": Parse.objects,
        "layers": AlignmentLayer.objects,
    }
    counts = {
        name: rows.filter(job=job).count() if held[name] else 0
        for name, rows in of.items()
    }
    mine = AlignmentLayer.objects.filter(job=job).order_by()
    links = mine.aggregate(n=Sum("n_links"))["n"] if counts["layers"] else 0
    return counts | {"links": links}


def _batches(rows: QuerySet[Any]) -> Iterator[list[int]]:
    """Their keys, in portions: each is short for those who save meanwhile."""
    last = 0
    while True:
        more = rows.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)
        keys = list(more[:BATCH])
        if not keys:
            return
        yield keys
        last = keys[-1]


@transaction.atomic
def _delete(model: type[Model], keys: list[int], job: Job) -> None:
    """Those of these rows that nobody uses. Locked, they get no new users."""
    rows = model._default_manager.filter(pk__in=keys)
    free = set(rows.select_for_update().values_list("pk", flat=True))
    if model is AlignmentLayer:
        free -= _worked_on(keys, job)
        own = LinkEvent.objects.filter(layer__in=free, job=job)
        own.update(undoes=None)  # they go together, in whatever order
        _raw_delete(own)
    free -= _used(model, free)
    _raw_delete(model._default_manager.filter(pk__in=free))


def _worked_on(layers: list[int], job: Job) -> set[int]:
    """Those of these layers that somebody has changed, opened or closed here."""
    changed = Q(updated_at__gt=F("created_at"), updated_at__gte=job.created_at)
    rows = AlignmentLayer.objects.filter(pk__in=layers)
    events = LinkEvent.objects.filter(layer__in=layers).exclude(job=job)
    return {
        *rows.filter(changed).values_list("pk", flat=True),
        *events.values_list("layer", flat=True),
    }


def _used(model: type[Model], keys: set[int]) -> set[int]:
    """Those of these rows that any row of any table names."""
    used: set[int] = set()
    for field in model._meta.get_fields(include_hidden=True):
        if field.auto_created and not field.concrete:
            users: Any = field.related_model
            name = field.remote_field.name  # type: ignore[union-attr]
            rows = users._base_manager.filter(**{f"{name}__in": keys})
            used |= set(rows.values_list(name, flat=True))
    return used


def _raw_delete(rows: Any) -> None:
    rows._raw_delete(rows.db)
