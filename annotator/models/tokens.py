"""Tokens of programs that act for a person."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotator.models.codes import CodeField

__all__ = ["ApiToken", "Scope"]


class Scope(models.TextChoices):
    """What a token may do, at most: each includes those before it."""

    READ = "read", "Read"
    ANNOTATE = "annotate", "Read and annotate"
    MANAGE = "manage", "Everything you may do"


class ApiToken(models.Model):
    """A program's key to one person's account. Only the digest of it is kept."""

    code = CodeField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=60)
    scope = models.CharField(max_length=8, choices=Scope)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"

    @property
    def is_over(self) -> bool:
        return self.expires_at <= timezone.now()
