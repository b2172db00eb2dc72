"""Who judges what: participants, their leases and answers, and the log of both."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotator.models.authorship import account
from annotator.models.campaigns import Batch, Campaign, Item
from annotator.models.codes import CodeField
from annotator.models.projects import Anybody, Membership, Role, id_of


class Participant(models.Model):
    """One person in one campaign. ``user`` is empty for a simulated annotator.

    The cursors say how far this person's own random order has been served.
    """

    class State(models.TextChoices):
        ACTIVE = "active", _("Active")
        PAUSED = "paused", _("Paused by a manager")
        BLOCKED = "blocked", _("Stopped by failed checks")

    code = CodeField()
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="participants")
    user = account(null=True, related_name="judges_as")
    label = models.CharField(max_length=40)  # A1, A2 … in anonymous reports
    state = models.CharField(max_length=8, choices=State, default=State.ACTIVE)
    is_simulated = models.BooleanField(default=False)
    is_trained = models.BooleanField(default=True)
    seed = models.PositiveIntegerField(default=0)
    quota = models.PositiveIntegerField(null=True, blank=True)  # main items, at most
    has_own_batches = models.BooleanField(default=False)  # those chosen, no later ones
    n_taken = models.PositiveIntegerField(default=0)  # main items leased or answered
    n_served = models.PositiveIntegerField(default=0)  # everything ever leased
    repeat_cursor = models.BigIntegerField(default=0)  # last judgment looked at again
    n_training = models.PositiveIntegerField(default=0)
    n_training_passed = models.PositiveIntegerField(default=0)
    n_tries = models.PositiveSmallIntegerField(default=0)  # at the training, failed
    guideline_seen = models.PositiveIntegerField(default=0)  # the version last shown
    n_checks = models.PositiveIntegerField(default=0)
    n_checks_failed = models.PositiveIntegerField(default=0)
    n_repeats = models.PositiveIntegerField(default=0)
    forgiven = models.PositiveIntegerField(default=0)  # checks before reinstatement
    forgiven_failed = models.PositiveIntegerField(default=0)  # … those failed
    messages_read_at = models.DateTimeField(null=True, blank=True)  # those until then
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["campaign_id", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="judge_once"),
            models.UniqueConstraint(fields=["campaign", "label"], name="judge_label"),
        ]

    def __str__(self) -> str:
        return self.label if self.user_id is None else str(self.user)

    @staticmethod
    def blind_in(user: Anybody) -> "models.QuerySet[Membership, Any]":
        """The projects, by key, in which an annotator judges in a campaign that is not
        closed: what its items were drawn from is closed to them."""
        judging = Participant.objects.filter(
            user_id=id_of(user), campaign__project=models.OuterRef("project")
        ).exclude(campaign__state=Campaign.State.CLOSED)
        rows = Membership.objects.filter(user_id=id_of(user), role=Role.ANNOTATOR)
        return rows.filter(models.Exists(judging)).values("project")


class Queue(models.Model):
    """A batch as one participant goes through it, in an order of their own.

    ``cursor``: places of that order already looked at. ``dry_at``: the batch's
    ``n_returned`` when nothing was left here; until it moves there is nothing new.
    """

    participant = models.ForeignKey(
        Participant, models.CASCADE, related_name="queues", db_index=False
    )
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="queues")
    cursor = models.PositiveIntegerField(default=0)
    dry_at = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participant", "batch"], name="queue_once")
        ]

    def __str__(self) -> str:
        return f"{self.participant_id} in {self.batch_id}"


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def of(self, campaign: Campaign) -> "JudgmentQuerySet":
        return self.filter(participant__campaign=campaign)

    def answered(self) -> "JudgmentQuerySet":
        """All answers: repeats, checks, late and surplus ones too; none set aside."""
        return self.filter(state=Judgment.State.DONE)

    def counted(self) -> "JudgmentQuerySet":
        """The answers that fill a place of an item: at most ``need`` for each."""
        return self.filter(state=Judgment.State.DONE, fills=True)


class Judgment(models.Model):
    """An item given to a participant, and the current answer.

    ``fills``: it holds one of the item's ``need`` places. A repeat (``round`` 2), a
    check, training, and an answer that came when all places were taken do not.
    ``values``: scale name -> value. ``active_ms``: time with the item in view.
    """

    class State(models.TextChoices):
        LEASED = "leased", _("Assigned")
        DONE = "done", _("Answered")
        SKIPPED = "skipped", _("Skipped")
        EXPIRED = "expired", _("Reservation expired")
        ASIDE = "aside", _("Set aside")

    code = CodeField()
    item = models.ForeignKey(
        Item, models.PROTECT, related_name="judgments", db_index=False
    )
    participant = models.ForeignKey(
        Participant, models.PROTECT, related_name="judgments", db_index=False
    )
    round = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=8, choices=State, default=State.LEASED)
    fills = models.BooleanField(default=False)
    lease_until = models.DateTimeField()
    values = models.JSONField(default=dict, blank=True)
    comment = models.TextField(blank=True)
    skip_reason = models.CharField(max_length=20, blank=True)
    flag = models.CharField(max_length=200, blank=True)  # what seems wrong with it
    active_ms = models.PositiveIntegerField(default=0)
    revision = models.PositiveIntegerField(default=0)  # +1 with every change
    is_late = models.BooleanField(default=False)
    mode = models.CharField(max_length=8, blank=True)  # Campaign.Mode when answered
    guideline = models.PositiveIntegerField(default=0)  # version when answered
    saved_at = models.DateTimeField(null=True, blank=True)  # first answer
    objects = JudgmentQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "participant", "round"], name="judgment_once"
            )
        ]
        indexes = [
            models.Index(fields=["participant", "state"]),
            models.Index(
                fields=["lease_until"],
                name="judgment_leases",
                condition=Q(state="leased"),
            ),
            # Few are flagged or skipped, and dashboards ask for them each time.
            models.Index(fields=["item"], name="judgment_flags", condition=~Q(flag="")),
            models.Index(
                fields=["participant"],
                name="judgment_skips",
                condition=Q(state="skipped"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant_id} on {self.item_id}: {self.values}"


class JudgmentEvent(models.Model):
    """One thing that happened to a judgment. Rows are only ever added.

    ``uuid`` comes from the browser: the same message sent twice counts once.
    """

    class Verb(models.TextChoices):
        SAVE = "save", _("Saved")
        SKIP = "skip", _("Skipped")
        FLAG = "flag", _("Flagged")
        REOPEN = "reopen", _("Reopened by a curator")
        ASIDE = "aside", _("Set aside by a manager")
        BACK = "back", _("Restored by a manager")

    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="events")
    uuid = models.UUIDField(unique=True)
    verb = models.CharField(max_length=8, choices=Verb)
    by = account(null=True, db_index=False)
    at = models.DateTimeField(default=timezone.now)
    revision = models.PositiveIntegerField()  # of the judgment after this
    values = models.JSONField(default=dict, blank=True)
    # comment, skip reason, flag, or the code of what was set aside together
    note = models.TextField(blank=True)
    active_ms = models.PositiveIntegerField(default=0)
    guideline = models.PositiveIntegerField(default=0)
    mode = models.CharField(max_length=8, blank=True)

    class Meta:
        ordering = ["judgment_id", "pk"]

    def __str__(self) -> str:
        return f"{self.verb} at revision {self.revision} of {self.judgment_id}"


_TO = "campaign__participants"


class CampaignMessageQuerySet(models.QuerySet["CampaignMessage"]):
    def shown_to(self, user: Anybody) -> "CampaignMessageQuerySet":
        """What this person reads as a participant, those to everyone since they came;
        with ``is_unread``."""
        read_at, to = F(f"{_TO}__messages_read_at"), F(_TO)
        rows = self.filter(
            Q(participant=None) | Q(participant=to),
            **{f"{_TO}__user_id": id_of(user), f"{_TO}__created_at__lte": F("at")},
        ).exclude(text="", is_resolved=False)
        return rows.annotate(
            is_unread=models.Case(
                models.When(at__lte=read_at, then=False), default=True
            )
        )


class CampaignMessage(models.Model):
    """What a manager wrote to the people of a campaign. Rows are only ever added.

    ``participant``: the only one who reads it; empty: everyone. ``judgment``: whose
    flag it answers, ``flag``: the text of that flag, which is open again once it
    changes. The last answer says whether the flag is resolved. An empty ``text``
    resolves or reopens it without a word.
    """

    code = CodeField()
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="messages")
    participant = models.ForeignKey(
        Participant, models.CASCADE, null=True, blank=True, related_name="messages"
    )
    judgment = models.ForeignKey(
        Judgment, models.PROTECT, null=True, blank=True, related_name="flag_answers"
    )
    flag = models.CharField(max_length=200, blank=True)
    is_resolved = models.BooleanField(default=False)
    text = models.TextField(blank=True)
    by = account(null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    objects = CampaignMessageQuerySet.as_manager()
    is_unread: bool  # by the person whom ``shown_to`` names

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["campaign", "at"], name="message_of_campaign")]

    def __str__(self) -> str:
        return self.text or f"flag of {self.judgment_id}"


class Tally(models.Model):
    """One participant's work in one batch on one day; updated by every save."""

    participant = models.ForeignKey(
        Participant, models.CASCADE, related_name="tallies", db_index=False
    )
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="tallies")
    day = models.DateField()
    n_done = models.PositiveIntegerField(default=0)  # answers that fill a place
    n_skipped = models.PositiveIntegerField(default=0)
    active_ms = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["participant", "batch", "day"], name="tally_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.participant_id} on {self.day}: {self.n_done}"


class MachineJudge(models.Model):
    """A language model that judges a campaign's items. It is no participant: nothing
    that counts people counts it.

    ``prompt``: what it is told before every item, the guidelines of version
    ``guideline`` in it. ``price_in, price_out``: of a million tokens read and written,
    in the currency of the campaign.
    """

    code = CodeField()
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="machines")
    label = models.CharField(max_length=40)  # M1, M2 …
    model = models.CharField(max_length=120)
    seed = models.PositiveIntegerField(default=0)
    guideline = models.PositiveIntegerField(default=0)
    prompt = models.TextField()
    price_in = models.FloatField(null=True, blank=True)
    price_out = models.FloatField(null=True, blank=True)
    n_requests = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    created_by = account(null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["campaign_id", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "label"], name="machine_label")
        ]

    def __str__(self) -> str:
        return f"{self.label} ({self.model})"

    @property
    def cost(self) -> float | None:
        """Of the tokens so far; None where no price is known."""
        if self.price_in is None and self.price_out is None:
            return None
        parts = (self.tokens_in, self.price_in), (self.tokens_out, self.price_out)
        return sum(n * (price or 0.0) / 1e6 for n, price in parts)


class MachineJudgment(models.Model):
    """A machine's answer to one item. ``reply``: its own words."""

    machine = models.ForeignKey(
        MachineJudge, models.CASCADE, related_name="judgments", db_index=False
    )
    item = models.ForeignKey(Item, models.CASCADE, related_name="machine_judgments")
    values = models.JSONField(default=dict)
    reply = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["machine", "item"], name="machine_once")
        ]

    def __str__(self) -> str:
        return f"{self.machine_id} on {self.item_id}: {self.values}"


class JudgePreference(models.Model):
    """One person's settings of the judgment screen, in all campaigns."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="judge_preference"
    )
    keys = models.JSONField(default=dict, blank=True)  # command -> key, where changed
    has_single_keys = models.BooleanField(default=True)
    auto_advance = models.BooleanField(default=False)
    daily_goal = models.PositiveSmallIntegerField(default=0)  # items; 0 = none

    def __str__(self) -> str:
        return f"judging preference of {self.user_id}"
