"""Projects and who works in them."""

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.utils import timezone

from annotator.models.codes import CodeField

__all__ = [
    "SEE_OTHERS",
    "Invitation",
    "Membership",
    "Project",
    "ProjectQuerySet",
    "Role",
    "id_of",
]

Anybody = AbstractBaseUser | AnonymousUser


def id_of(user: Anybody) -> int:
    """The person's key for a look-up; 0, which nobody has, for a stranger."""
    return int(user.pk or 0)


class Role(models.TextChoices):
    MANAGER = "manager", "Manager"
    CURATOR = "curator", "Curator"
    ANNOTATOR = "annotator", "Annotator"
    VIEWER = "viewer", "Viewer"


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
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One person's role in one project."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="memberships"
    )
    role = models.CharField(max_length=12, choices=Role)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="one_role_each")
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role} in {self.project}"


class Invitation(models.Model):
    """A link that lets one person in, once. Only the digest of its token is kept.

    ``project`` empty: a link that signs ``user`` in (the owner's first, or a reset).
    """

    code = CodeField()
    digest = models.CharField(max_length=64, unique=True)
    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
    )
    role = models.CharField(max_length=12, choices=Role, default=Role.ANNOTATOR)
    note = models.CharField(max_length=120, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )

    def __str__(self) -> str:
        return f"invitation {self.code}"

    @property
    def is_open(self) -> bool:
        return self.used_at is None and self.expires_at > timezone.now()
