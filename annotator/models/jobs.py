"""Jobs and their issues."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import F, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotator.models.authorship import account
from annotator.models.codes import CodeField
from annotator.models.projects import Anybody, Membership, Project, Role, id_of


class JobQuerySet(models.QuerySet["Job"]):
    def visible_to(self, user: Anybody) -> "JobQuerySet":
        """All of one's projects; an annotator sees their own alone."""
        return self.visible_to_key(id_of(user))

    def visible_to_key(self, key: Any) -> "JobQuerySet":
        """The same by the person's key, which may be a slot of a statement."""
        annotating = Membership.objects.filter(user_id=key, role=Role.ANNOTATOR).values(
            "project"
        )
        own = self.filter(project__memberships__user_id=key)
        return own.exclude(models.Q(project__in=annotating) & ~models.Q(by_id=key))

    def for_list(self, user: Anybody) -> "JobQuerySet":
        """With ``is_managed``: whether this person manages the project."""
        mine = Membership.objects.filter(
            project=models.OuterRef("project"), user_id=id_of(user), role=Role.MANAGER
        )
        return self.select_related("project").annotate(is_managed=models.Exists(mine))

    def active(self) -> "JobQuerySet":
        return self.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING])

    def in_turn(self, queues: Sequence[Sequence[str]]) -> "JobQuerySet":
        """Waiting jobs in order of their turn. ``queues``: the kinds of each, with the
        prior queue first.

        Within a queue: of the project with the fewest jobs at work; then what never
        ran, then what has waited longest since it did.
        """
        kinds = [kind for queue in queues for kind in queue]
        ranks = [models.When(kind__in=kinds, then=n) for n, kinds in enumerate(queues)]
        same = Job.objects.filter(project=models.OuterRef("project"))
        at_work = same.filter(state=Job.State.RUNNING).order_by().values("project")
        busy = at_work.annotate(n=models.Count("pk")).values("n")
        return (
            self.filter(state=Job.State.QUEUED, kind__in=kinds)
            .annotate(
                rank=models.Case(*ranks, default=0), busy=Coalesce(Subquery(busy), 0)
            )
            .order_by("rank", "busy", F("heartbeat_at").asc(nulls_first=True), "pk")
        )

    def importing(self, check: "Job") -> "JobQuerySet":
        """Imports, done or under way, of the files that the dry run ``check`` read."""
        given_up = [Job.State.FAILED, Job.State.CANCELLED]
        rows = self.filter(kind=check.kind, params__uploads=check.params["uploads"])
        return rows.filter(params__dry_run=False).exclude(state__in=given_up)


class Job(models.Model):
    """Long work. This row is the truth; the queue only wakes a worker.

    QUEUED -> RUNNING -> DONE | FAILED | CANCELLED, each step a compare-and-set.
    ``params`` is what it was asked to do, ``result`` what it says of itself at the
    end. ``claim`` is the token of the worker that holds it.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    code = CodeField()
    project = models.ForeignKey(Project, models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=30)
    title = models.CharField(max_length=200)
    params = models.JSONField(default=dict)
    result = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    total = models.PositiveIntegerField(null=True, blank=True)
    done = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    note = models.CharField(max_length=300, blank=True)
    error = models.TextField(blank=True)  # traceback of a bug
    seed = models.PositiveIntegerField(default=0)
    engine = models.CharField(max_length=60, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    claim = models.CharField(max_length=32, blank=True)
    cancel_asked = models.BooleanField(default=False)
    by = account(null=True)
    request_id = models.CharField(max_length=64, blank=True)  # that asked for it
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state", "heartbeat_at"])]

    def __str__(self) -> str:
        return self.title

    @property
    def is_over(self) -> bool:
        return self.state not in (self.State.QUEUED, self.State.RUNNING)

    def note_for(self, *, is_managed: bool) -> str:
        """Only managers see why it failed: the text may quote files and paths."""
        hidden = self.state == self.State.FAILED and not is_managed
        return (
            "It failed. A manager of the project can see why." if hidden else self.note
        )

    @property
    def share(self) -> float | None:
        """The share done, 0 to 1; None while the total is not known."""
        if not self.total:
            return None
        return min(1.0, (self.done + self.failed) / self.total)


class Issue(models.Model):
    """One thing that a job could not do, and what would help."""

    job = models.ForeignKey(Job, models.CASCADE, related_name="issues")
    file = models.CharField(max_length=255, blank=True)
    line = models.PositiveIntegerField(default=0)
    column = models.PositiveIntegerField(default=0)
    reason = models.TextField()
    remedy = models.TextField(blank=True)
    excerpt = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return where + self.reason


class JobChunkQuerySet(models.QuerySet["JobChunk"]):
    def silent(self, since: datetime) -> "JobChunkQuerySet":
        """Jobs whose worker has been silent since then."""
        return self.filter(state=JobChunk.State.RUNNING, heartbeat_at__lt=since)

    def to_take(self, since: datetime) -> "JobChunkQuerySet":
        """Unclaimed jobs; also those of a worker silent ``since`` then."""
        silent = Q(state=JobChunk.State.RUNNING, heartbeat_at__lt=since)
        return self.filter(Q(state=JobChunk.State.WAITING) | silent)


class JobChunk(models.Model):
    """A part of a job that any worker may take: rows ``first`` to ``last``.

    WAITING -> RUNNING -> DONE, each step a compare-and-set on ``claim``. ``part`` tells
    passes over the same rows apart. ``n`` rows: ``found`` done before the one that
    holds it began, ``done`` and ``failed`` by it. They are there while their job is.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"

    job = models.ForeignKey(Job, models.CASCADE, related_name="chunks")
    part = models.CharField(max_length=60)
    number = models.PositiveIntegerField()
    first = models.BigIntegerField()
    last = models.BigIntegerField()
    n = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    claim = models.CharField(max_length=32, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    found = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    objects = JobChunkQuerySet.as_manager()

    class Meta:
        ordering = ["job", "part", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["job", "part", "number"], name="one_chunk_a_number"
            )
        ]

    def __str__(self) -> str:
        return f"{self.part} {self.number}"
