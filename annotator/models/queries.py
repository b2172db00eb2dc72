"""Searches of trees that someone has given a name."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotator.models.codes import CodeField
from annotator.models.projects import Project


class SavedQuery(models.Model):
    """A query of ``core.queries``, by a name that the whole project sees."""

    code = CodeField()
    project = models.ForeignKey(Project, models.CASCADE, related_name="queries")
    name = models.CharField(max_length=80)
    text = models.CharField(max_length=1000)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="saved_query_name")
        ]

    def __str__(self) -> str:
        return self.name
