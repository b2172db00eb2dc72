"""Parses of sentences, and the packed forests behind them."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotator.models.codes import CodeField
from annotator.models.corpora import Sentence
from annotator.models.projects import Anybody
from core.data.deps import DepTree
from core.data.tree import Tree
from core.formats import conllu, treetext

__all__ = ["Origin", "PackedForest", "Parse", "ParseQuerySet"]


class Origin(models.TextChoices):
    GOLD = "gold", "Gold"
    ANNOTATOR = "annotator", "Annotator"
    ENGINE = "engine", "Engine"


class ParseQuerySet(models.QuerySet["Parse"]):
    def visible_to(self, user: Anybody) -> "ParseQuerySet":
        return self.filter(sentence__corpus__project__memberships__user_id=user.pk)


class Parse(models.Model):
    """One tree over one sentence; it never changes, a new tree is a new row.

    ``text``: a PTB bracketing (constituency) or CoNLL-U token lines (dependency).
    Node ids are preorder numbers of this very text. ``rank`` counts from 1 among the
    trees of one engine and version; ``score`` in nats.
    """

    class Kind(models.TextChoices):
        CONSTITUENCY = "constituency", "Constituency"
        DEPENDENCY = "dependency", "Dependency"

    code = CodeField()
    sentence = models.ForeignKey(Sentence, models.CASCADE, related_name="parses")
    kind = models.CharField(max_length=12, choices=Kind)
    origin = models.CharField(max_length=10, choices=Origin)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True
    )
    engine = models.CharField(max_length=60, blank=True)
    version = models.CharField(max_length=60, blank=True)
    rank = models.PositiveSmallIntegerField(default=1)
    score = models.FloatField(null=True, blank=True)
    text = models.TextField()
    digest = models.CharField(max_length=32)  # Sentence.key_of(text)
    meta = models.JSONField(default=dict, blank=True)  # comments, layout, edge labels
    created_at = models.DateTimeField(default=timezone.now)
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
        """Who made it, for people."""
        if self.origin == Origin.ENGINE:
            return f"{self.engine} {self.version}".strip() + f", tree {self.rank}"
        return str(self.author) if self.author_id else self.get_origin_display()

    def to_tree(self) -> Tree:
        """The constituency tree; raises FormatError on a dependency parse."""
        return treetext.load(self.text, self.meta)

    def to_deps(self) -> DepTree:
        """The dependency tree; raises FormatError on a constituency parse."""
        return conllu.deps_of(self.text)


class PackedForest(models.Model):
    """All trees an engine thinks possible, as npz bytes (never pickle)."""

    sentence = models.ForeignKey(Sentence, models.CASCADE, related_name="forests")
    engine = models.CharField(max_length=60)
    version = models.CharField(max_length=60)
    data = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["sentence", "engine", "version"], name="forest_once"
            )
        ]

    def __str__(self) -> str:
        return f"forest of {self.sentence_id} by {self.engine} {self.version}"
