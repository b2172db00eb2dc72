"""Paraphrase tables: their settings and files."""

from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotator import disk
from annotator.models.authorship import account
from annotator.models.campaigns import Campaign
from annotator.models.codes import CodeField
from annotator.models.jobs import Job
from annotator.models.judgments import Participant
from annotator.models.projects import Anybody, Project
from core.pivoting.bitext import Bitext as BitextFile


class ParaphraseTableQuerySet(models.QuerySet["ParaphraseTable"]):
    def visible_to(self, user: Anybody) -> "ParaphraseTableQuerySet":
        """Tables of one's projects; none while one judges there, since a table reveals
        the condition and rank of an item's paraphrase."""
        own = self.filter(project__memberships__user_id=user.pk)
        return own.exclude(project__in=Participant.blind_in(user))

    def ready(self) -> "ParaphraseTableQuerySet":
        return self.filter(made_at__isnull=False)


class ParaphraseTable(models.Model):
    """Paraphrases pivoted out of parallel text; the rows are Parquet files on disk.

    ``rules``: the requested settings; ``facts``: the result (phrases, paraphrases,
    seconds by stage). Empty ``made_at``: it is being built, or was cancelled; building
    it again continues.
    """

    code = CodeField()
    project = models.ForeignKey(Project, models.CASCADE, related_name="tables")
    name = models.CharField(max_length=120)
    rules = models.JSONField(default=dict)
    facts = models.JSONField(default=dict, blank=True)
    job = models.ForeignKey(Job, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(null=True, blank=True)
    created_by = account(null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    objects = ParaphraseTableQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="table_name")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def folder(self) -> Path:
        """The folder of its files; the name is the code, never user input."""
        return disk.shared() / "tables" / self.code


class ParaphraseWeights(models.Model):
    """One version of a table's ninth condition, fitted on a campaign; never changed.

    ``model``: ``core.pivoting.weighting.Weights`` as JSON, with its facts: what it was
    fitted on and what it gains. ``job``: that fitted them; done again, it is not stored
    twice.
    """

    table = models.ForeignKey(ParaphraseTable, models.CASCADE, related_name="weights")
    number = models.PositiveIntegerField()
    campaign = models.ForeignKey(Campaign, models.SET_NULL, null=True, related_name="+")
    campaign_name = models.CharField(max_length=120)
    model = models.JSONField()
    job = models.OneToOneField(Job, models.SET_NULL, null=True, related_name="+")
    by = account(null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["table_id", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "number"], name="paraphrase_weights_number"
            )
        ]

    def __str__(self) -> str:
        return f"version {self.number}, fitted on {self.campaign_name}"


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
    created_by = account(null=True, related_name="+")
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
