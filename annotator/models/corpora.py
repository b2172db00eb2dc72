"""Corpora, their sentences, and the pairs of sentences."""

import hashlib
import re
from collections.abc import Iterable
from typing import cast

from django.db import connection, models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotator.models.authorship import account, import_job
from annotator.models.codes import CodeField
from annotator.models.projects import Anybody, Project
from core.data.tokens import Sentence as CoreSentence
from core.data.tokens import Token

_WORD = re.compile(r"\w+", re.UNICODE)
_FEW = 2000


def containing(rows: models.QuerySet, words: str) -> models.QuerySet:
    """The rows whose text holds all these words, anywhere, in any case."""
    wanted = _WORD.findall(words)
    if not wanted:
        return rows.none() if words.strip() else rows
    if connection.vendor == "postgresql":
        return _few_by_key(rows, _indexed(rows, " ".join(wanted)))
    query = " ".join(f'"{word}"' for word in wanted)
    return rows.extra(
        where=[
            "annotator_pair.id IN"
            " (SELECT rowid FROM annotator_pair_fts WHERE annotator_pair_fts MATCH %s)"
        ],
        params=[query],
    )


def _indexed(rows: models.QuerySet, words: str) -> models.QuerySet:
    return rows.extra(
        where=[
            "to_tsvector('simple', annotator_pair.text)"
            " @@ plainto_tsquery('simple', %s)"
        ],
        params=[words],
    )


def _few_by_key(rows: models.QuerySet, hits: models.QuerySet) -> models.QuerySet:
    """``hits``, by their keys where they are few. Of a million rows PostgreSQL takes a
    rare word for a commoner one, and for the first in some order it reads them all; of
    a common word it soon has as many as a page shows."""
    keys = list(hits.order_by().values_list("pk", flat=True)[: _FEW + 1])
    return hits if len(keys) > _FEW else rows.filter(pk__in=keys)


class CorpusQuerySet(models.QuerySet["Corpus"]):
    def visible_to(self, user: Anybody) -> "CorpusQuerySet":
        return self.filter(project__memberships__user_id=user.pk)


class Corpus(models.Model):
    """Sentences and pairs from one source, with its licence and provenance."""

    code = CodeField()
    project = models.ForeignKey(Project, models.CASCADE, related_name="corpora")
    name = models.CharField(max_length=120)
    licence = models.CharField(max_length=200, blank=True)
    provenance = models.TextField(blank=True)
    source_language = models.CharField(max_length=35, default="en")
    target_language = models.CharField(max_length=35, default="en")
    meta = models.JSONField(
        default=dict, blank=True
    )  # what formats need on the way out
    n_pairs = models.PositiveIntegerField(default=0)
    n_sentences = models.PositiveIntegerField(default=0)
    archived_at = models.DateTimeField(null=True, blank=True)  # out of the lists
    created_by = account(null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    job = import_job()
    objects = CorpusQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "corpora"
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="corpus_name")
        ]

    def __str__(self) -> str:
        return self.name


class Upload(models.Model):
    """A file someone sent. Its name is shown, never used as a path."""

    code = CodeField()
    project = models.ForeignKey(Project, models.CASCADE, related_name="uploads")
    file = models.FileField(upload_to="%Y/%m/")
    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    by = account(null=True)
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.name


class Sentence(models.Model):
    """A tokenised sentence. ``tokens``: one form per line (no form holds a newline).

    ``columns``: per-token fields beyond the form, as a format gave them; ``key``: what
    makes it the same sentence when a file is imported again.
    """

    code = CodeField()
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="sentences")
    ref = models.CharField(max_length=200, blank=True)  # its id in the source
    text = models.TextField()
    tokens = models.TextField()
    n_tokens = models.PositiveIntegerField()
    language = models.CharField(max_length=35, default="en")
    columns = models.JSONField(default=dict, blank=True)
    key = models.CharField(max_length=32)
    job = import_job()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "key"], name="sentence_once")
        ]
        indexes = [models.Index(fields=["corpus", "ref"])]

    def __str__(self) -> str:
        return self.text[:80]

    @property
    def forms(self) -> list[str]:
        return self.tokens.split("\n")

    def to_core(self) -> CoreSentence:
        return CoreSentence(tuple(Token(form) for form in self.forms), self.text)

    @staticmethod
    def key_of(*parts: str) -> str:
        """A content key: equal parts, equal key."""
        joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(joined, digest_size=16).hexdigest()

    @staticmethod
    def join(forms: Iterable[str]) -> str:
        return "\n".join(forms)


class PairQuerySet(models.QuerySet["Pair"]):
    def visible_to(self, user: Anybody) -> "PairQuerySet":
        return self.filter(corpus__project__memberships__user_id=user.pk)

    def containing(self, words: str) -> "PairQuerySet":
        """The pairs with all these words, on either side."""
        return cast("PairQuerySet", containing(self, words))

    def after(self, corpus: "Corpus", code: str) -> "PairQuerySet":
        """The pairs after the pair of this code: paging with equal cost anywhere."""
        if not code:
            return self
        last = Pair.objects.filter(corpus=corpus, code=code).values("pk")[:1]
        return self.filter(pk__gt=last)

    def for_list(self) -> "PairQuerySet":
        """The columns of the list, without joins."""
        return self.only(
            "code",
            "corpus",  # else Django asks for it again, row by row
            "ref",
            "text",
            "label",
            "state",
            "n_source",
            "n_target",
            "has_parse",
        )


class Pair(models.Model):
    """Two sentences that belong together, in an order: source and target.

    ``text``: both sides, one a line, for the list and for search without a join.
    ``state`` and ``has_parse`` are kept by the services that change them.
    """

    class State(models.TextChoices):
        NONE = "none", _("Not aligned")
        PROPOSED = "proposed", _("Proposed")
        STARTED = "started", _("Started")
        DONE = "done", _("Done")

    code = CodeField()
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="pairs")
    ref = models.CharField(max_length=200, blank=True)
    source = models.ForeignKey(Sentence, models.CASCADE, related_name="as_source")
    target = models.ForeignKey(Sentence, models.CASCADE, related_name="as_target")
    text = models.TextField()
    label = models.CharField(max_length=60, blank=True)  # paraphrase, entailment, …
    meta = models.JSONField(default=dict, blank=True)  # further columns of the source
    n_source = models.PositiveIntegerField()
    n_target = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.NONE)
    has_parse = models.BooleanField(default=False)  # both sides
    key = models.CharField(max_length=32)
    job = import_job()
    objects = PairQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "key"], name="pair_once")
        ]
        indexes = [
            models.Index(fields=["corpus", "id"]),
            models.Index(fields=["corpus", "state", "id"]),
            models.Index(fields=["corpus", "label", "id"]),
            models.Index(fields=["corpus", "has_parse", "id"]),
            models.Index(fields=["corpus", "n_source", "id"]),
            # Filters together: a mix that nothing fits must not walk the corpus.
            models.Index(fields=["corpus", "state", "has_parse", "id"]),
            models.Index(fields=["corpus", "label", "state", "id"]),
            models.Index(fields=["corpus", "label", "has_parse", "id"]),
        ]

    def __str__(self) -> str:
        return self.ref or self.code

    @property
    def source_text(self) -> str:
        return self.text.partition("\n")[0]

    @property
    def target_text(self) -> str:
        return self.text.partition("\n")[2]
