"""Parses of sentences, and the packed forests behind them."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotator.models.authorship import account, author_of, import_job
from annotator.models.codes import CodeField
from annotator.models.corpora import Sentence
from annotator.models.projects import (
    SEE_OTHERS,
    Anybody,
    Membership,
    Project,
    id_of,
)
from core.data.deps import DepTree
from core.data.tree import Tree
from core.errors import FormatError, GemelError
from core.formats import conllu, forest_npz, treetext
from core.formats.forest_npz import StoredForest


class Origin(models.TextChoices):
    GOLD = "gold", "Gold"
    ANNOTATOR = "annotator", "Annotator"
    ENGINE = "engine", "Engine"
    FORMER = "former", "Former gold"  # a tree that another has taken the place of


class ParseQuerySet(models.QuerySet["Parse"]):
    def readable_by(self, user: Anybody, project: Project) -> "ParseQuerySet":
        """Gold, engines', one's own; others' for those who see others' annotations."""
        member = Membership.objects.filter(project=project, user_id=id_of(user))
        if member.filter(role__in=SEE_OTHERS).exists():
            return self.all()
        return self.filter(~Q(origin=Origin.ANNOTATOR) | Q(author_id=id_of(user)))


class Parse(models.Model):
    """One tree over one sentence; it never changes, a new tree is a new row.

    ``text``: a PTB bracketing (constituency) or CoNLL-U token lines (dependency). Node
    ids are preorder numbers of this text. ``rank`` counts from 1 among the trees of one
    engine and version; ``score`` in nats.
    """

    class Kind(models.TextChoices):
        CONSTITUENCY = "constituency", "Constituency"
        DEPENDENCY = "dependency", "Dependency"

    code = CodeField()
    sentence = models.ForeignKey(Sentence, models.CASCADE, related_name="parses")
    kind = models.CharField(max_length=12, choices=Kind)
    origin = models.CharField(max_length=10, choices=Origin)
    author = account(null=True, blank=True)
    engine = models.CharField(max_length=60, blank=True)
    version = models.CharField(max_length=60, blank=True)
    rank = models.PositiveSmallIntegerField(default=1)
    score = models.FloatField(null=True, blank=True)
    text = models.TextField()
    digest = models.CharField(max_length=32)  # Sentence.key_of(*treetext.parts(…))
    meta = models.JSONField(default=dict, blank=True)  # comments, layout, edge labels
    created_at = models.DateTimeField(default=timezone.now)
    job = import_job()

    objects = ParseQuerySet.as_manager()

    class Meta:
        ordering = ["sentence_id", "origin", "engine", "rank"]
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "sentence",
                    "kind",
                    "origin",
                    "engine",
                    "version",
                    "rank",
                    "digest",
                ],
                name="parse_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, {self.name}"

    @property
    def name(self) -> str:
        """The author, as text for people."""
        if self.origin == Origin.ENGINE:
            return f"{self.engine} {self.version}".strip() + f", tree {self.rank}"
        return author_of(self) or self.get_origin_display()

    def to_tree(self) -> Tree:
        """The constituency tree; raises FormatError on a dependency parse."""
        return treetext.load(self.text, self.meta)

    def readable_tree(self) -> Tree | None:
        """The constituency tree; None where the text holds none."""
        try:
            return self.to_tree()
        except GemelError:
            return None

    def to_deps(self) -> DepTree:
        """The dependency tree; raises FormatError on a constituency parse."""
        return conllu.deps_of(self.text)


class PackedForest(models.Model):
    """All trees an engine thinks possible, as npz bytes (never pickle)."""

    sentence = models.ForeignKey(Sentence, models.CASCADE, related_name="forests")
    engine = models.CharField(max_length=60)
    version = models.CharField(max_length=60)
    data = models.BinaryField()
    job = import_job()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["sentence", "engine", "version"], name="forest_once"
            )
        ]

    def __str__(self) -> str:
        return f"forest of {self.sentence_id} by {self.engine} {self.version}"

    def to_core(self) -> StoredForest | None:
        """The forest with its weights; None where it cannot be read."""
        try:
            return forest_npz.load(bytes(self.data))
        except FormatError:
            return None
