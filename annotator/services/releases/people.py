"""Activity log, without saying who: P1, P2, … in an order that says nothing."""

import secrets
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from annotator.models import (
    Adjudication,
    AlignmentLayer,
    JudgmentEvent,
    LinkEvent,
    Parse,
    Participant,
    Project,
    TreeEvent,
    VerdictEvent,
)
from annotator.models.authorship import AUTHOR


class Pseudonyms:
    """A name for a name; the same within one release, another in the next."""

    def __init__(self, names: Iterable[str]) -> None:
        known = sorted(set(names) - {""})
        secrets.SystemRandom().shuffle(known)
        self._of = {name: f"P{n}" for n, name in enumerate(known, 1)}

    def __len__(self) -> int:
        return len(self._of)

    def __getitem__(self, name: str) -> str:
        """ "" for no one. Someone who came after the names were read is "P?"."""
        return self._of.get(name, "P?") if name else ""


def pseudonyms(project: Project) -> Pseudonyms:
    """For everyone who did anything here, and whom imported files name as authors."""
    return Pseudonyms(names(project))


def names(project: Project) -> Iterator[str]:
    """Of all of them, some several times."""
    rows = (
        Participant.objects.filter(campaign__project=project).values_list(
            "user__username"
        ),
        JudgmentEvent.objects.filter(
            judgment__participant__campaign__project=project
        ).values_list("by__username"),
        Adjudication.objects.filter(item__campaign__project=project).values_list(
            "by__username"
        ),
        LinkEvent.objects.filter(layer__pair__corpus__project=project).values_list(
            "by__username"
        ),
        LinkEvent.objects.filter(layer__pair__corpus__project=project).values_list(
            "imported_by"
        ),
        TreeEvent.objects.filter(draft__sentence__corpus__project=project).values_list(
            "by__username"
        ),
        VerdictEvent.objects.filter(change__run__corpus__project=project).values_list(
            "by__username"
        ),
        *_authors(project),
    )
    for query in rows:
        yield from (str(name) for (name,) in query.order_by().distinct() if name)


def _authors(project: Project) -> Iterator[QuerySet[Any, Any]]:
    parses = Parse.objects.filter(sentence__corpus__project=project)
    layers = AlignmentLayer.objects.filter(pair__corpus__project=project)
    for query in (parses, layers):
        yield query.values_list("author__username")
        yield query.filter(meta__has_key=AUTHOR).values_list(f"meta__{AUTHOR}")
