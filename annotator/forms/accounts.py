"""Forms of one's own account."""

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from annotator.models.tokens import Scope


class OldPasswordForm(PasswordChangeForm):
    """A new password for anyone who knows the old one; guesses count as at sign-in."""

    def __init__(self, request: HttpRequest, data: Any) -> None:
        assert isinstance(request.user, User)
        super().__init__(request.user, data)
        self._request = request

    def clean_old_password(self) -> str:
        old = str(self.cleaned_data["old_password"])
        if not is_password_of(self.user, old, self._request):
            raise forms.ValidationError(self.error_messages["password_incorrect"])
        return old


def is_password_of(person: Any, password: str, request: HttpRequest) -> bool:
    """Guesses count as at sign-in. An equal name elsewhere is another person."""
    return authenticate(request, username=str(person), password=password) == person


class TokenForm(forms.Form):
    """A token of a program."""

    name = forms.CharField(max_length=60, label=_("Program"))
    scope = forms.ChoiceField(choices=Scope, label=_("Scope"), initial=Scope.READ)
    days = forms.TypedChoiceField(
        choices=[
            (7, _("a week")),
            (30, _("30 days")),
            (90, _("90 days")),
            (365, _("a year")),
        ],
        coerce=int,
        label=_("Valid for"),
        initial=90,
    )


class NoticesForm(forms.Form):
    """Whether what needs a manager is sent by mail, and where to."""

    email = forms.EmailField(max_length=254, required=False, label=_("Address"))
    is_wanted = forms.BooleanField(
        required=False,
        label=_("E-mail me messages, and at most once a day what new needs me"),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("is_wanted") and not cleaned.get("email"):
            self.add_error(
                "email", _("Enter an e-mail address to receive notifications.")
            )
        return cleaned
