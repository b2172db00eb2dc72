"""Signing in and out, joining by a link, one's own account."""

import time
from typing import Any

from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, SetPasswordForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from annotator.errors import BadRequest
from annotator.forms import OldPasswordForm, TokenForm
from annotator.http import addresses
from annotator.services import accounts, projects

BY_LINK = "by_link_at"  # in the session: when a sign-in link was used
LINK_S = 3600
BACKEND = "django.contrib.auth.backends.ModelBackend"


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    form = AuthenticationForm(request, request.POST or None)
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    if request.method == "POST" and form.is_valid():
        safe = url_has_allowed_host_and_scheme(
            wanted, {request.get_host()}, require_https=request.is_secure()
        )
        return _let_in(request, form.get_user(), wanted if safe else "projects")
    status = 400 if request.method == "POST" else 200
    shown = {"form": form, "next": wanted}
    return render(request, "accounts/sign_in.html", shown, status=status)


def _let_in(request: HttpRequest, person: User, to: str) -> HttpResponse:
    login(request, person, backend=BACKEND)
    answer = redirect(to)
    addresses.remember(answer, person.get_username())
    return answer


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign_in")


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Opening the link changes nothing (mail scanners open links); POST uses it."""
    shown: dict[str, Any] = {"invitation": projects.find_invitation(token)}
    status = 200 if shown["invitation"] else 410
    if request.method == "POST":
        try:
            return _join(request, token)
        except BadRequest as error:
            name = request.POST.get("username", "")
            shown, status = shown | {"problem": str(error), "username": name}, 400
    return render(request, "accounts/join.html", shown, status=status)


def _join(request: HttpRequest, token: str) -> HttpResponse:
    invitation = projects.find_invitation(token)
    person = projects.accept(
        token,
        user=request.user if request.user.is_authenticated else None,
        username=request.POST.get("username", ""),
        password=request.POST.get("password", ""),
    )
    answer = _let_in(request, person, "projects")
    if invitation is not None and invitation.user is not None:
        request.session[BY_LINK] = time.time()
    return answer


@sensitive_post_parameters()
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """The password, and the tokens of programs that act for this person."""
    assert isinstance(request.user, User)
    what, secret = request.POST.get("what"), ""
    password = _password_form(request, request.POST if what == "password" else None)
    token = TokenForm(request.POST if what == "token" else None)
    if what == "revoke":
        return _revoke(request, request.user)
    if password.is_bound and password.is_valid():
        return _set_password(request, request.user, password)
    if token.is_bound and token.is_valid():
        secret = accounts.make_token(request.user, **token.cleaned_data)[1]
        token = TokenForm()
    shown = {"form": password, "token_form": token, "secret": secret}
    shown["tokens"] = request.user.api_tokens.all()
    status = 400 if password.errors or token.errors else 200
    return render(request, "accounts/account.html", shown, status=status)


def _revoke(request: HttpRequest, person: User) -> HttpResponse:
    mine = person.api_tokens.filter(code=request.POST.get("token", ""))
    accounts.revoke_token(get_object_or_404(mine))
    messages.success(request, "The token is revoked.")
    return redirect("account")


def _set_password(
    request: HttpRequest, person: User, form: "SetPasswordForm[User]"
) -> HttpResponse:
    accounts.set_password(person, form.cleaned_data["new_password1"])
    request.session.pop(BY_LINK, None)
    update_session_auth_hash(request, person)
    messages.success(request, "Your password is set. Other sessions have ended.")
    return redirect("account")


def _password_form(request: HttpRequest, data: Any) -> "SetPasswordForm[User]":
    """It asks for the old password, unless there is none or a link let one in just
    now: such links are for those who have forgotten theirs."""
    assert isinstance(request.user, User)
    by_link = time.time() - request.session.get(BY_LINK, 0) < LINK_S
    if by_link or not request.user.has_usable_password():
        return SetPasswordForm(request.user, data)
    return OldPasswordForm(request, data)
