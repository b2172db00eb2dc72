"""Scores of pairs: each run of a scorer over a corpus, and what it gave."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotator.models.codes import CodeField
from annotator.models.corpora import Corpus, Pair


class ScoreRun(models.Model):
    """One scorer with its settings over one corpus; run again, it goes on.

    ``parameters``: every number that went in, the thesaurus and the encoder by name;
    ``digest`` makes two runs of the same settings one.
    """

    code = CodeField()
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="score_runs")
    scorer = models.CharField(max_length=60)
    label = models.CharField(max_length=120)
    version = models.CharField(max_length=60)
    parameters = models.JSONField(default=dict)
    digest = models.CharField(max_length=32)
    n_scored = models.PositiveIntegerField(default=0)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "digest"], name="score_run_once")
        ]

    def __str__(self) -> str:
        return self.label


class PairScore(models.Model):
    """What one run says of one pair; higher is more alike."""

    run = models.ForeignKey(ScoreRun, models.CASCADE, related_name="scores")
    pair = models.ForeignKey(Pair, models.CASCADE, related_name="scores")
    value = models.FloatField()
    n_links = models.PositiveSmallIntegerField()
    n_inverted = models.PositiveSmallIntegerField()
    objects = models.Manager["PairScore"]()

    class Meta:
        ordering = ["-value", "pair_id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "pair"], name="pair_score_once")
        ]
        indexes = [models.Index(fields=["run", "-value", "pair"])]

    def __str__(self) -> str:
        return f"{self.value:.3f}"
