"""Parallel text: a row names it, the text itself lies in files."""

from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotator.models.codes import CodeField
from annotator.models.projects import Anybody, Project
from core.pivoting.bitext import Bitext as BitextFile


class BitextQuerySet(models.QuerySet["Bitext"]):
    def visible_to(self, user: Anybody) -> "BitextQuerySet":
        return self.filter(project__memberships__user_id=user.pk)


class Bitext(models.Model):
    """English and its counterparts in one language, sentence by sentence.

    The pairs are Parquet files in a folder named by ``code``, next to the uploads: see
    ``core.pivoting.bitext``. ``files``: name, size and SHA-256 of each that it is from.
    ``n_gaps``: lines without a counterpart. ``aligner``, ``parser``: who linked the
    words, who parsed the English sentences, "" while no one has.
    """

    code = CodeField()
    project = models.ForeignKey(Project, models.CASCADE, related_name="bitexts")
    name = models.CharField(max_length=120)
    source_language = models.CharField(max_length=35, default="en")
    target_language = models.CharField(max_length=35)
    licence = models.CharField(max_length=200, blank=True)
    provenance = models.TextField(blank=True)
    files = models.JSONField(default=list)
    n_pairs = models.PositiveIntegerField(default=0)
    n_gaps = models.PositiveIntegerField(default=0)
    n_sentences = models.PositiveIntegerField(default=0)  # distinct English ones
    n_source_tokens = models.PositiveBigIntegerField(default=0)
    n_target_tokens = models.PositiveBigIntegerField(default=0)
    n_links = models.PositiveBigIntegerField(default=0)
    n_parsed = models.PositiveIntegerField(default=0)
    aligner = models.CharField(max_length=60, blank=True)
    parser = models.CharField(max_length=60, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    objects = BitextQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="bitext_name")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def folder(self) -> Path:
        return Path(settings.MEDIA_ROOT) / "bitexts" / self.code

    @property
    def pairs_path(self) -> Path:
        return self.folder / "pairs.parquet"

    @property
    def parses_path(self) -> Path:
        return self.folder / "parses.parquet"

    @property
    def pairs(self) -> BitextFile:
        return BitextFile(self.pairs_path)
