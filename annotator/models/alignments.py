"""Alignment layers and the append-only ledger of operations on them."""

from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotator.models.analyses import Origin, Parse
from annotator.models.authorship import (
    AUTHOR,
    MARK,
    account,
    author_of,
    import_job,
    imported_name,
)
from annotator.models.codes import CodeField
from annotator.models.corpora import Corpus, Pair, Sentence
from annotator.models.projects import SEE_OTHERS, Anybody, id_of
from core.data.alignment import Alignment


class LayerQuerySet(models.QuerySet["AlignmentLayer"]):
    def visible_to(self, user: Anybody) -> "LayerQuerySet":
        """The layers this person may see; the only place that says which.

        Annotators see their own, the gold standard and the engines'; no one in
        between. One filter, so that person and role are of the same membership.
        """
        member = "pair__corpus__project__memberships__"
        sees_others = Q(**{f"{member}role__in": SEE_OTHERS})
        own = Q(author_id=id_of(user))
        return self.filter(
            sees_others | own | ~Q(origin=Origin.ANNOTATOR),
            **{f"{member}user_id": id_of(user)},
        )

    def made_by(self, name: str) -> "LayerQuerySet":
        """Layers of this account; "bob (imported)": those that a file attributes to
        bob."""
        if name.endswith(MARK):
            plain = name.removesuffix(MARK)
            return self.filter(author=None, **{f"meta__{AUTHOR}": plain})
        return self.filter(author__username=name)


class AlignmentLayer(models.Model):
    """One annotator's, one engine's, or the gold alignment of one pair.

    Refers to two given parses; without them its nodes are tokens. ``links`` is
    ``Alignment.to_json()``; ``parked`` holds links whose nodes the present trees do not
    have.
    """

    class State(models.TextChoices):
        OPEN = "open", "Open"
        DONE = "done", "Done"

    code = CodeField()
    pair = models.ForeignKey(Pair, models.CASCADE, related_name="layers")
    origin = models.CharField(max_length=10, choices=Origin)
    author = account(null=True, blank=True)
    engine = models.CharField(max_length=60, blank=True)
    version = models.CharField(max_length=60, blank=True)
    name = models.CharField(
        max_length=60, blank=True
    )  # tells layers of one author apart
    slot = models.CharField(max_length=32)  # slot_of(who made it): one layer for each
    options = models.JSONField(default=dict, blank=True)  # what the engine ran with
    source_parse = models.ForeignKey(Parse, models.PROTECT, null=True, related_name="+")
    target_parse = models.ForeignKey(Parse, models.PROTECT, null=True, related_name="+")
    links = models.JSONField(default=dict, blank=True)
    parked = models.JSONField(default=list, blank=True)
    n_links = models.PositiveIntegerField(default=0)
    doubt = models.FloatField(null=True)  # an engine's: wrong links and nulls, expected
    revision = models.PositiveIntegerField(default=0)  # +1 with every operation
    state = models.CharField(max_length=6, choices=State, default=State.OPEN)
    meta = models.JSONField(default=dict, blank=True)  # what its format said beyond
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    job = import_job()
    objects = LayerQuerySet.as_manager()

    class Meta:
        ordering = ["pair_id", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["pair", "slot"], name="layer_once")
        ]

    def __str__(self) -> str:
        return f"layer {self.code} by {self.made_by}"

    @property
    def made_by(self) -> str:
        if self.origin == Origin.ENGINE:
            return f"{self.engine} {self.version}".strip()
        return author_of(self) or self.get_origin_display()

    @staticmethod
    def slot_of(
        origin: str,
        *,
        author_id: int | None = None,
        engine: str = "",
        version: str = "",
        name: str = "",
        imported: str = "",
    ) -> str:
        """The unique key within a pair; a digest, since author may be NULL.

        ``imported``: the author named by a file, who has no account here.
        """
        who = f"imported {imported}" if imported else str(author_id or "")
        return Sentence.key_of(origin, who, engine, version, name)

    def to_core(self) -> Alignment:
        return Alignment.from_json(self.links)


class LinkEvent(models.Model):
    """One operation on a layer. Rows are only ever added.

    ``uuid`` comes from the browser: the same operation sent twice counts once.
    ``before``/``after``: the parts of ``links`` it took away and put in, so that undo
    appends the inverse. ``undoes``: the event that this one undoes.
    """

    layer = models.ForeignKey(AlignmentLayer, models.CASCADE, related_name="events")
    uuid = models.UUIDField(default=uuid4)
    revision = models.PositiveIntegerField()  # of the layer after this operation
    op = models.CharField(max_length=24)
    by = account(null=True)
    imported_by = models.CharField(max_length=120, blank=True)  # as the file names them
    at = models.DateTimeField(default=timezone.now)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    undoes = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    job = import_job()

    class Meta:
        ordering = ["layer_id", "revision"]
        constraints = [
            models.UniqueConstraint(fields=["layer", "uuid"], name="operation_once"),
            models.UniqueConstraint(
                fields=["layer", "revision"], name="one_a_revision"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.op} at revision {self.revision} of {self.layer_id}"

    @property
    def made_by(self) -> str:
        if self.by_id:
            return str(self.by)
        return imported_name(self.imported_by) if self.imported_by else ""


class ScoreRun(models.Model):
    """One scorer with its settings over one corpus; resumable.

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
    by = account(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "digest"], name="score_run_once")
        ]

    def __str__(self) -> str:
        return self.label


class PairScore(models.Model):
    """The score of one pair in one run; higher is more similar."""

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
