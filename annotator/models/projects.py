"""Projects and who works in them."""

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotator.models.authorship import account
from annotator.models.codes import CodeField

Anybody = AbstractBaseUser | AnonymousUser


def id_of(user: Anybody) -> int:
    """The person's key for a look-up; 0, which no one has, for a stranger."""
    return int(user.pk or 0)


class Role(models.TextChoices):
    MANAGER = "manager", _("Manager")
    CURATOR = "curator", _("Curator")
    ANNOTATOR = "annotator", _("Annotator")
    VIEWER = "viewer", _("Viewer")


SEE_OTHERS = frozenset({Role.MANAGER, Role.CURATOR, Role.VIEWER})


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, user: Anybody) -> "ProjectQuerySet":
        """The projects this person is a member of."""
        return self.filter(memberships__user_id=user.pk)


class Project(models.Model):
    """A body of work with its corpora, campaigns and people."""

    code = CodeField()
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    options = models.JSONField(default=dict, blank=True)  # rules of the editor, …
    is_sample = models.BooleanField(default=False)
    archived_at = models.DateTimeField(null=True, blank=True)  # out of the lists
    created_by = account(null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One person's role in one project."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = account(related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="one_role_each")
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role} in {self.project}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self) -> "InvitationQuerySet":
        """Invitations that can still be used."""
        return self.filter(
            n_uses__lt=models.F("max_uses"),
            revoked_at=None,
            expires_at__gt=timezone.now(),
        )


class Invitation(models.Model):
    """A link that lets people in, as often as ``max_uses`` says, until it expires.

    Only the digest of its token is kept. ``campaign``: who comes in by it judges there.
    ``project`` empty: a link that signs ``user`` in (the owner's first, or a reset).
    ``provider``: a crowd platform, whose participants come without an account; the
    codes are what they hand in there. ``screening``: ``[{"question", "choices",
    "right"}]``, asked before the first item, ``right`` the places of right choices;
    ``screened_out``: digests of those who answered wrongly. Their answers are not kept.
    """

    class Provider(models.TextChoices):
        PROLIFIC = "prolific", "Prolific"
        MTURK = "mturk", "MTurk"
        OTHER = "other", _("Another platform")

    code = CodeField()
    digest = models.CharField(max_length=64, unique=True)
    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True)
    campaign = models.ForeignKey(
        "annotator.Campaign",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="invitations",
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
    )
    role = models.CharField(max_length=12, choices=Role, default=Role.ANNOTATOR)
    note = models.CharField(max_length=120, blank=True)
    provider = models.CharField(max_length=8, choices=Provider, blank=True)
    consent = models.TextField(blank=True)  # Markdown, agreed to before anything
    completion_code = models.CharField(max_length=60, blank=True)
    rejection_code = models.CharField(max_length=60, blank=True)
    screening_code = models.CharField(max_length=60, blank=True)
    screening = models.JSONField(default=list, blank=True)
    screened_out = models.JSONField(default=list, blank=True)
    max_uses = models.PositiveIntegerField(default=1)
    n_uses = models.PositiveIntegerField(default=0)
    created_by = account(null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    objects = InvitationQuerySet.as_manager()

    def __str__(self) -> str:
        return f"invitation {self.code}"

    @property
    def state(self) -> str:
        """``open``, ``used``, ``expired`` or ``revoked``."""
        if self.revoked_at is not None:
            return "revoked"
        if self.n_uses >= self.max_uses:
            return "used"
        return "open" if self.expires_at > timezone.now() else "expired"

    @property
    def is_open(self) -> bool:
        return self.state == "open"


class InvitationUse(models.Model):
    """Who used a link, and when."""

    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="uses")
    user = account(related_name="+")
    at = models.DateTimeField(default=timezone.now)
    # what a crowd platform calls the participant; empty once it is forgotten
    external_id = models.CharField(max_length=100, blank=True)
    study = models.CharField(max_length=100, blank=True)
    session = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["invitation", "external_id"],
                condition=~models.Q(external_id=""),
                name="crowd_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} by {self.invitation}"


class Removal(models.Model):
    """A deleted object, hidden from everyone, until its final deletion.

    ``holder`` is a project without members that contains the deleted object; nothing
    else has to know of it, since every page asks for a membership. A deleted project
    holds itself: ``members`` lists its former members (key, role, since when).
    """

    class Kind(models.TextChoices):
        PROJECT = "project", "Project"
        CORPUS = "corpus", "Corpus"
        CAMPAIGN = "campaign", "Campaign"
        RATINGS = "ratings", "Ratings"

    code = CodeField()
    project = models.ForeignKey(  # where it came from, and goes back to
        Project, models.CASCADE, null=True, blank=True, related_name="removals"
    )
    holder = models.OneToOneField(Project, models.CASCADE, related_name="removal")
    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=120)
    members = models.JSONField(default=list, blank=True)
    by = account(null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.name}"


class LogEntry(models.Model):
    """An action in a project. Rows are only ever added."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="log")
    by = account(null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    act = models.CharField(max_length=40)  # a verb: "deleted", "opened"
    kind = models.CharField(max_length=20)  # of what: "campaign", "person"
    name = models.CharField(max_length=200, blank=True)
    detail = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["project", "-id"], name="log_of_project")]

    def __str__(self) -> str:
        return f"{self.act} {self.kind} {self.name}"
