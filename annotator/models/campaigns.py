"""Campaigns: what is judged, on which scales, produced by which conditions.

An *instance* is one occurrence of a phrase in a sentence; an *item* is one paraphrase
put in its place, judged once however many *conditions* produced it (their *credits*).
Who judges what is in ``annotator.models.judgments``.
"""

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotator.models.authorship import account
from annotator.models.codes import CodeField
from annotator.models.corpora import Sentence
from annotator.models.projects import SEE_OTHERS, Anybody, Project, id_of
from annotator.throughput.prepared import Slot
from core.agreement.judgments import best_worst
from core.data.ratings import Scale


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: Anybody) -> "CampaignQuerySet":
        """The campaigns whose set-up and results this person may see.

        Judging in one is another question: ``services.campaigns.judging``.
        """
        return self.filter(
            project__memberships__user_id=id_of(user),
            project__memberships__role__in=SEE_OTHERS,
        )


class Campaign(models.Model):
    """One round of judging. ``revision`` moves with every change of its set-up."""

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        OPEN = "open", pgettext_lazy("a campaign", "Open")
        PAUSED = "paused", _("Paused")
        CLOSED = "closed", _("Closed")

    class Mode(models.TextChoices):
        SINGLE = "single", _("One paraphrase at a time")
        GRID = "grid", _("All paraphrases of a phrase together")

    code = CodeField()
    project = models.ForeignKey(Project, models.CASCADE, related_name="campaigns")
    name = models.CharField(max_length=120)
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    mode = models.CharField(max_length=8, choices=Mode, default=Mode.SINGLE)
    seed = models.PositiveIntegerField(default=1)
    revision = models.PositiveIntegerField(default=0)
    guideline_number = models.PositiveIntegerField(default=0)  # 0 = none written
    # who judges how much
    k = models.PositiveSmallIntegerField(default=1)  # judgments for every item
    overlap_k = models.PositiveSmallIntegerField(default=2)  # … for the shared ones
    overlap_share = models.FloatField(default=0.2)  # of items, 0 to 1
    quota = models.PositiveIntegerField(null=True, blank=True)  # items for each person
    lease_s = models.PositiveIntegerField(default=1200)
    prefetch = models.PositiveSmallIntegerField(default=4)
    # quality
    check_every = models.PositiveSmallIntegerField(default=15)  # 0 = no checks
    check_tolerance = models.FloatField(default=1.0)  # points on an ordered scale
    check_min = models.PositiveSmallIntegerField(default=4)  # checks before a verdict
    check_fail_share = models.FloatField(default=0.5)  # more failed than this = pause
    training_pass_share = models.FloatField(default=0.0)  # 0 = any result passes
    training_tries = models.PositiveSmallIntegerField(default=2)  # then it is failed
    repeat_every = models.PositiveSmallIntegerField(default=0)  # 0 = no repeats
    repeat_gap_h = models.FloatField(default=24.0)  # hours before the second look
    is_adaptive = models.BooleanField(default=False)  # a third judge where two differ
    adaptive_gap = models.FloatField(default=2.0)  # points
    is_curation_blind = models.BooleanField(default=False)  # who judged is not shown
    # money, for the plan
    seconds_per_item = models.FloatField(default=12.0)
    cost_per_hour = models.FloatField(default=0.0)
    currency = models.CharField(max_length=8, blank=True)
    contact = models.CharField(max_length=200, blank=True)  # whom blocked people write
    n_items = models.PositiveIntegerField(default=0)  # to be judged, checks apart
    n_checks = models.PositiveIntegerField(default=0)
    n_training = models.PositiveIntegerField(default=0)
    is_simulated = models.BooleanField(default=False)
    archived_at = models.DateTimeField(null=True, blank=True)  # out of the lists
    created_by = account(null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    opened_at = models.DateTimeField(null=True, blank=True)
    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="campaign_name")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    @property
    def guideline(self) -> str:
        """The text of its present guideline; "" if none is written."""
        rows = self.guidelines.filter(number=self.guideline_number)
        return rows.values_list("text", flat=True).first() or ""

    def cost(self, ms: int) -> float | None:
        """What so much active time costs; None if no hourly cost is set."""
        return round(ms / 3_600_000 * self.cost_per_hour, 2) or None

    @property
    def has_checks(self) -> bool:
        """Whether checks are shown: they are on, and there are some."""
        return bool(self.check_every and self.n_checks)


class RatingScale(models.Model):
    """One question that judges answer.

    ``points``: ``[{"value", "label", "anchor"}]`` in the order shown (empty for a
    number scale). ``threshold``: an item with this value or more counts as correct.
    """

    class Kind(models.TextChoices):
        ORDINAL = "ordinal", _("Ordered points")
        NUMBER = "number", _("A number in a range")
        NOMINAL = "nominal", _("Labels without order")
        BEST = "best", _("The best and the worst of a phrase's paraphrases")
        TEXT = "text", _("Free text")
        SPANS = "spans", _("Marked words of both sentences")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="scales")
    position = models.PositiveSmallIntegerField(default=0)
    name = models.SlugField(max_length=40)  # the key in Judgment.values
    title = models.CharField(max_length=80)
    question = models.CharField(max_length=300, blank=True)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.ORDINAL)
    points = models.JSONField(default=list, blank=True)
    low = models.IntegerField(default=0)  # number scales only
    high = models.IntegerField(default=100)
    threshold = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["campaign_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="scale_name")
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_ordered(self) -> bool:
        return self.kind != self.Kind.NOMINAL and not self.is_open

    @property
    def is_open(self) -> bool:
        """Whether answers are on no scale: a text, or marks as ``open_answers`` reads
        them. No check, gold item, average or threshold has them."""
        return self.kind in (self.Kind.TEXT, self.Kind.SPANS)

    def values(self) -> list[Any]:
        """Valid answers as stored: ints, or the labels of a nominal scale; none where
        answers are open."""
        if self.kind == self.Kind.NUMBER:
            return list(range(self.low, self.high + 1))
        if self.kind == self.Kind.BEST:
            return [1, 0, -1]
        return [point["value"] for point in self.points]

    def to_core(self) -> Scale:
        """The same for the measures of agreement, points ascending; not for an open
        question."""
        assert not self.is_open, "open answers have no scale"
        if self.kind == self.Kind.NUMBER:
            return Scale.span(self.name, self.low, self.high)
        if self.kind == self.Kind.BEST:
            return best_worst.scale(self.name)
        if self.kind == self.Kind.NOMINAL:
            return Scale(self.name, tuple(str(value) for value in self.values()))
        values = sorted(self.values())
        return Scale(
            self.name, tuple(map(str, values)), tuple(float(value) for value in values)
        )


class Guideline(models.Model):
    """One version of a campaign's guideline, in Markdown; never changed."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="guidelines")
    number = models.PositiveIntegerField()
    text = models.TextField()
    by = account(null=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["campaign_id", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "number"], name="guideline_number"
            )
        ]

    def __str__(self) -> str:
        return f"guideline {self.number}"


class Condition(models.Model):
    """A system, or a way of running it, whose paraphrases are compared."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="conditions")
    name = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField(default=0)
    is_baseline = models.BooleanField(default=False)

    class Meta:
        ordering = ["campaign_id", "position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="condition_name")
        ]

    def __str__(self) -> str:
        return self.name


class Batch(models.Model):
    """A named part of the items, given out in order of ``position``."""

    code = CodeField()
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="batches")
    name = models.CharField(max_length=80)
    position = models.PositiveSmallIntegerField(default=0)
    is_paused = models.BooleanField(default=False)
    n_items = models.PositiveIntegerField(default=0)
    n_returned = models.PositiveIntegerField(default=0)  # places given back, ever

    class Meta:
        ordering = ["campaign_id", "position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="batch_name")
        ]

    def __str__(self) -> str:
        return self.name


class Instance(models.Model):
    """One occurrence of a phrase: ``sentence[start:end]``, in characters."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="instances")
    sentence = models.TextField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    phrase = models.CharField(max_length=600)
    key = models.CharField(max_length=32)  # of sentence, start and end

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "key"], name="instance_once")
        ]

    def __str__(self) -> str:
        return self.phrase

    @staticmethod
    def key_of(sentence: str, start: int, end: int) -> str:
        return Sentence.key_of(sentence, str(start), str(end))

    @property
    def before(self) -> str:
        return self.sentence[: self.start]

    @property
    def after(self) -> str:
        return self.sentence[self.end :]

    def with_paraphrase(self, paraphrase: str) -> str:
        return f"{self.before}{paraphrase}{self.after}"


class ItemQuerySet(models.QuerySet["Item"]):
    def main(self) -> "ItemQuerySet":
        """Items judged for the results: no checks, no training."""
        return self.filter(kind=Item.Kind.MAIN)

    def with_answers(self) -> "ItemQuerySet":
        """With ``n_answers``: judges who filled a place; for checks and training, all
        who answered."""
        from annotator.models.judgments import Judgment  # which imports this module

        rows = Judgment.objects.answered().filter(item=models.OuterRef("pk"), round=1)
        counted = (
            rows.order_by().values("item").annotate(n=models.Count("pk")).values("n")
        )
        answered = Coalesce(models.Subquery(counted), 0)
        kind = models.Case(
            models.When(kind=Item.Kind.MAIN, then=F("n_done")),
            default=answered,
            output_field=models.IntegerField(),
        )
        return self.annotate(n_answers=kind)

    def open_in(self, batch: Batch | Slot) -> "ItemQuerySet":
        """Items with a free place; served by the partial index ``item_open``."""
        return self.filter(batch=batch, n_taken__lt=F("need"))


class Item(models.Model):
    """One paraphrase in place of one phrase: what a judge sees.

    ``need`` places, ``n_taken`` of them leased or filled, ``n_done`` filled; the
    database itself refuses more. ``gold``: expected values by scale name. ``number``:
    its place in the batch, 0 to n - 1, in an order that says nothing.
    """

    class Kind(models.TextChoices):
        MAIN = "main", _("Item")
        GOLD = "gold", _("Gold")
        ATTENTION = "attention", _("Attention check")
        TRAINING = "training", _("Training")

    code = CodeField()
    campaign = models.ForeignKey(
        Campaign, models.CASCADE, related_name="items", db_index=False
    )
    batch = models.ForeignKey(
        Batch, models.CASCADE, related_name="items", null=True, db_index=False
    )  # checks and training belong to the whole campaign
    number = models.PositiveIntegerField(default=0)
    instance = models.ForeignKey(Instance, models.CASCADE, related_name="items")
    ref = models.CharField(max_length=120, blank=True)  # its id in the uploaded file
    paraphrase = models.CharField(max_length=600)
    kind = models.CharField(max_length=9, choices=Kind, default=Kind.MAIN)
    gold = models.JSONField(default=dict, blank=True)
    why = models.TextField(blank=True)  # the explanation shown after training
    need = models.PositiveSmallIntegerField(default=0)
    n_extra = models.PositiveSmallIntegerField(default=0)  # of need: the third judge
    n_taken = models.PositiveSmallIntegerField(default=0)
    n_done = models.PositiveSmallIntegerField(default=0)
    is_withdrawn = models.BooleanField(default=False)
    objects = ItemQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["instance", "paraphrase"], name="item_once"
            ),
            models.UniqueConstraint(fields=["batch", "number"], name="item_number"),
            models.CheckConstraint(
                condition=Q(n_taken__lte=F("need")) & Q(n_done__lte=F("n_taken")),
                name="item_never_overfull",
            ),
        ]
        indexes = [
            models.Index(fields=["campaign", "kind"]),
            models.Index(
                fields=["batch", "number"],
                name="item_open",
                condition=Q(n_taken__lt=F("need")),
            ),
        ]

    def __str__(self) -> str:
        return self.paraphrase


class Credit(models.Model):
    """A condition produced this item, at this rank. Annotators never see it."""

    item = models.ForeignKey(
        Item, models.CASCADE, related_name="credits", db_index=False
    )
    condition = models.ForeignKey(Condition, models.CASCADE, related_name="credits")
    rank = models.PositiveSmallIntegerField(default=1)
    score = models.FloatField(null=True, blank=True)  # what the condition gave it

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "condition"], name="credit_once")
        ]

    def __str__(self) -> str:
        return f"{self.condition} at rank {self.rank}"
