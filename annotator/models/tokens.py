"""Parts of an account: tokens, e-mail notices, identities at a provider."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotator.models.codes import CodeField


class Scope(models.TextChoices):
    """The scope of a token: each includes those before it."""

    READ = "read", _("Read")
    ANNOTATE = "annotate", _("Read and annotate")
    MANAGE = "manage", _("Everything you can do")


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


class MailNotices(models.Model):
    """A person's wish for e-mail about what needs a manager, and the mails sent.

    ``told``: the lines already mailed that still apply, so only new lines are sent.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="mail_notices"
    )
    told = models.JSONField(default=list)
    sent_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"notices to {self.user}"


class Identity(models.Model):
    """An account's identity at an OpenID provider, which never reuses a subject."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="identities"
    )
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["issuer", "subject"], name="one_account_an_identity"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.issuer}"
