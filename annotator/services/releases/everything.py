"""All other contents of a project, for a complete export: rows as lines, and files.

A release for others has corpora, campaigns and the ledger. Who keeps a project, or is
about to delete it, gets what is here, too, with everyone's name.
"""

import json
import secrets
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Field, ForeignKey, Model, QuerySet

from annotator import models
from annotator.models import (
    Adjudication,
    AlignmentLayer,
    JudgmentEvent,
    LinkEvent,
    Pair,
    Parse,
    Participant,
    Project,
    Sentence,
    TreeEvent,
    Upload,
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


_NAMED: tuple[tuple[type[Model], str, str], ...] = (
    (Participant, "campaign", "user__username"),
    (JudgmentEvent, "judgment__participant__campaign", "by__username"),
    (Adjudication, "item__campaign", "by__username"),
    (LinkEvent, "layer__pair__corpus", "by__username"),
    (LinkEvent, "layer__pair__corpus", "imported_by"),
    (TreeEvent, "draft__sentence__corpus", "by__username"),
    (VerdictEvent, "change__run__corpus", "by__username"),
)
"""Rows that name people, the way to what they are in, and the name."""


def pseudonyms(project: Project) -> Pseudonyms:
    """For everyone who did anything here, and whom imported files name as authors."""
    return Pseudonyms(names(project))


def names(project: Project) -> Iterator[str]:
    """The names of all of them, with repetitions."""
    rows = (
        model._base_manager.filter(**{f"{way}__project": project}).values_list(name)
        for model, way, name in _NAMED
    )
    for query in chain(rows, _authors(project)):
        yield from (str(name) for (name,) in query.order_by().distinct() if name)


def _authors(project: Project) -> Iterator[QuerySet[Any, Any]]:
    parses = Parse.objects.filter(sentence__corpus__project=project)
    layers = AlignmentLayer.objects.filter(pair__corpus__project=project)
    for query in (parses, layers):
        yield query.values_list("author__username")
        yield query.filter(meta__has_key=AUTHOR).values_list(f"meta__{AUTHOR}")


CHUNK = 2000
ROWS: dict[str, tuple[type[Model], str]] = {
    "project": (models.Project, "pk"),
    "members": (models.Membership, "project"),
    "log": (models.LogEntry, "project"),
    "jobs": (models.Job, "project"),
    "job-issues": (models.Issue, "job__project"),
    "uploads": (models.Upload, "project"),
    "corpora": (models.Corpus, "project"),
    "sentences": (models.Sentence, "corpus__project"),
    "pairs": (models.Pair, "corpus__project"),
    "parses": (models.Parse, "sentence__corpus__project"),
    "rules": (models.TreebankRules, "corpus__project"),
    "tree-drafts": (models.TreeDraft, "sentence__corpus__project"),
    "tree-steps": (models.TreeEvent, "draft__sentence__corpus__project"),
    "tree-batches": (models.TreeBatch, "corpus__project"),
    "batch-trees": (models.BatchTree, "batch__corpus__project"),
    "worklists": (models.Worklist, "corpus__project"),
    "work-people": (models.WorkPerson, "worklist__corpus__project"),
    "work-items": (models.WorkItem, "worklist__corpus__project"),
    "work-shares": (models.WorkShare, "item__worklist__corpus__project"),
    "saved-queries": (models.SavedQuery, "project"),
    "scorings": (models.ScoreRun, "corpus__project"),
    "scores": (models.PairScore, "run__corpus__project"),
    "joint-runs": (models.JointRun, "corpus__project"),
    "joint-pairs": (models.JointPair, "run__corpus__project"),
    "joint-trees": (models.JointTree, "result__run__corpus__project"),
    "joint-changes": (models.TreeChange, "run__corpus__project"),
    "joint-verdicts": (models.VerdictEvent, "change__run__corpus__project"),
    "campaigns": (models.Campaign, "project"),
    "guidelines": (models.Guideline, "campaign__project"),
    "batches": (models.Batch, "campaign__project"),
    "participants": (models.Participant, "campaign__project"),
    "machines": (models.MachineJudge, "campaign__project"),
    "machine-judgments": (models.MachineJudgment, "machine__campaign__project"),
    "messages": (models.CampaignMessage, "campaign__project"),
    "queues": (models.Queue, "participant__campaign__project"),
    "ratings": (models.RatingSet, "project"),
    "reports": (models.Report, "project"),
    "bitexts": (models.Bitext, "project"),
    "tables": (models.ParaphraseTable, "project"),
    "weights": (models.ParaphraseWeights, "table__project"),
}
"""Name of the member -> rows, and the way from them to their project."""
LEFT_OUT: dict[str, str] = {
    "PackedForest": "in the bundle of its corpus",
    "AlignmentLayer": "in the bundle of its corpus",
    "LinkEvent": "in the bundle of its corpus, and in the ledger",
    "RatingScale": "in campaign.json",
    "Condition": "in campaign.json",
    "Instance": "in items.jsonl",
    "Item": "in items.jsonl",
    "Credit": "in items.jsonl",
    "Judgment": "in judgments.jsonl",
    "JudgmentEvent": "in the ledger",
    "Adjudication": "in decisions.jsonl",
    "Tally": "counts of judgments",
    "JobChunk": "parts of jobs that are at work",
    "Invitation": "links that let people in are secret",
    "InvitationUse": "links that let people in are secret",
    "Removal": "what was deleted is to be restored first",
}
"""Of the rows of a project, those not in ``ROWS``, and why."""
_ELSEWHERE = {
    models.Sentence: {"tokens", "text", "columns"},
    models.Pair: {"meta"},
    models.Parse: {"text", "meta"},
}
"""Fields that are in the bundles and would double the file."""


class Named(Pseudonyms):
    """People by their own names, where a release has pseudonyms."""

    def __getitem__(self, name: str) -> str:
        return name


def lines(project: Project, name: str) -> Iterator[str]:
    """The rows of one member as lines of JSON, by key. People are identified by
    name, sentences and pairs by the key in their bundle, everything else by code or
    number."""
    model, way = ROWS[name]
    ways = dict(_fields(model))
    rows = model._base_manager.filter(**{way: project.pk}).order_by("pk")
    for row in rows.values_list(*ways.values()).iterator(chunk_size=CHUNK):
        fields = dict(zip(ways, row, strict=True))
        yield json.dumps(fields, ensure_ascii=False, cls=DjangoJSONEncoder) + "\n"


def files(project: Project) -> Iterator[tuple[str, Path]]:
    """Name in the export and place on the disk of every file: uploads, parallel text
    and tables of paraphrases, each in a folder by code."""
    for upload in Upload.objects.filter(project=project).order_by("pk"):
        if upload.file and (path := Path(upload.file.path)).is_file():
            yield f"files/uploads/{upload.code}{path.suffix}", path
    folders = [
        *(("bitexts", one.folder) for one in project.bitexts.order_by("pk")),
        *(("tables", one.folder) for one in project.tables.order_by("pk")),
    ]
    for kind, folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                inside = path.relative_to(folder).as_posix()
                yield f"files/{kind}/{folder.name}/{inside}", path


def readme(project: Project) -> str:
    """A description of the export for readers in ten years."""
    rows = "\n".join(f"- project/{name}.jsonl" for name in ROWS)
    return f"""# Everything of {project.name}

Made by Gemel for who keeps this project. It names people, and holds their comments and
notes: it is not for publication. A release is.

- corpora/*.gemel: sentences, trees, forests, pairs, links and their history; Gemel
  imports them again.
- campaigns/*/: scales, guidelines, items, judgments, decisions and the report of each,
  rehearsals among them.
- ledger.jsonl: every act, each with the digest of the one before.
- files/: what was uploaded, parallel text, tables of paraphrases, in folders by code.
- environment.json: the versions of all programs.

One line of JSON for each row, people by name, sentences and pairs by their key in the
bundle, the rest by code:

{rows}

Whether it is whole: gemel verify FILE.zip
"""


def _fields(model: type[Model]) -> Iterator[tuple[str, str]]:
    """Name in the line and way for ``values_list`` of each field."""
    left = _ELSEWHERE.get(model, set())
    has_code = any(field.name == "code" for field in model._meta.concrete_fields)
    for field in model._meta.concrete_fields:
        if field.name in left or (field.name == "id" and has_code):
            continue
        yield field.name, _way(field)


def _way(field: "Field[Any, Any]") -> str:
    if not isinstance(field, ForeignKey):
        return field.name
    other: Any = field.related_model
    if other is User:
        return f"{field.name}__username"
    if other in (Sentence, Pair):
        return f"{field.name}__key"
    names = {one.name for one in other._meta.concrete_fields}
    return f"{field.name}__code" if "code" in names else field.attname
