"""Frozen agreement reports, ratings collected elsewhere, and adjudicated values."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotator.models.authorship import account
from annotator.models.campaigns import Campaign, Item
from annotator.models.codes import CodeField
from annotator.models.corpora import Corpus, Upload
from annotator.models.projects import Anybody, Project


class RatingSet(models.Model):
    """A file of ratings that were collected elsewhere; the file itself is kept."""

    code = CodeField()
    project = models.ForeignKey(Project, models.CASCADE, related_name="rating_sets")
    name = models.CharField(max_length=120)
    format = models.CharField(max_length=20)  # "table": read as ``reading`` says
    reading = models.JSONField(default=dict, blank=True)
    origin = models.JSONField(default=dict, blank=True)  # counts of a tool's export
    upload = models.ForeignKey(Upload, models.PROTECT, related_name="+")
    n_items = models.PositiveIntegerField(default=0)
    n_annotators = models.PositiveIntegerField(default=0)
    n_ratings = models.PositiveIntegerField(default=0)
    archived_at = models.DateTimeField(null=True, blank=True)  # out of the lists
    created_by = account(null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="rating_set_name")
        ]

    def __str__(self) -> str:
        return self.name


class ReportQuerySet(models.QuerySet["Report"]):
    def visible_to(self, user: Anybody) -> "ReportQuerySet":
        return self.filter(project__memberships__user_id=user.pk)


class Report(models.Model):
    """A report as it was when someone froze it. Rows never change.

    It reads a campaign, a set of ratings, or the layers of a corpus: exactly one.
    ``query``: its filters, as in the address; ``body``: every figure, with annotators
    by label; ``names``: the person of each label. ``digest``: SHA-256 of the data and
    settings, so that two reports over the same data can be recognised.
    """

    code = CodeField()
    project = models.ForeignKey(Project, models.CASCADE, related_name="reports")
    campaign = models.ForeignKey(
        Campaign, models.CASCADE, null=True, blank=True, related_name="reports"
    )
    rating_set = models.ForeignKey(
        RatingSet, models.CASCADE, null=True, blank=True, related_name="reports"
    )
    corpus = models.ForeignKey(
        Corpus, models.CASCADE, null=True, blank=True, related_name="reports"
    )
    title = models.CharField(max_length=160)
    query = models.TextField(blank=True)
    body = models.JSONField()
    names = models.JSONField(default=dict, blank=True)
    digest = models.CharField(max_length=64)
    version = models.CharField(max_length=20)
    created_by = account(null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    objects = ReportQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.title


class Adjudication(models.Model):
    """A curator's decision about an item. Rows are only ever added; the last counts.

    The judgments stay as they are: these values are a layer of their own. Empty
    ``values`` withdraw an earlier decision. ``accepts``: the participant whose values
    were taken as they stood, by label; empty for values of the curator's own.
    """

    class Reason(models.TextChoices):
        AGREED = "agreed", _("The judges agree")
        MAJORITY = "majority", _("The majority is right")
        MISREAD = "misread", _("A judge misread the item")
        GUIDELINE = "guideline", _("The guidelines say otherwise")
        UNCLEAR = "unclear", _("The guidelines are silent or unclear")
        CONTEXT = "context", _("The context decides")
        FAULTY = "faulty", _("The item is faulty")
        OTHER = "other", _("Other (see the note)")

    class Confidence(models.IntegerChoices):
        LOW = 1, _("Low")
        MEDIUM = 2, _("Medium")
        HIGH = 3, _("High")

    code = CodeField()
    item = models.ForeignKey(
        Item, models.PROTECT, related_name="adjudications", db_index=False
    )
    number = models.PositiveIntegerField()  # 1, 2 … for this item
    values = models.JSONField(default=dict, blank=True)
    accepts = models.CharField(max_length=40, blank=True)
    reason = models.CharField(max_length=10, choices=Reason)
    confidence = models.PositiveSmallIntegerField(choices=Confidence)
    note = models.TextField(blank=True)
    batch = models.CharField(max_length=16, blank=True)  # decided together, by rule
    by = account(null=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["item_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="adjudication_once")
        ]

    def __str__(self) -> str:
        return f"decision {self.number} on {self.item_id}"
