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
        login(request, form.get_user())
        name = form.get_user().get_username()
        safe = url_has_allowed_host_and_scheme(
            wanted, {request.get_host()}, require_https=request.is_secure()
        )
        answer = redirect(wanted if safe else "projects")
        addresses.remember(answer, name)
        return answer
    status = 400 if request.method == "POST" else 200
    context = {"form": form, "next": wanted}
    return render(request, "accounts/sign_in.html", context, status=status)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign_in")


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Opening the link changes nothing (mail scanners open links); POST uses it."""
    invitation = projects.find_invitation(token)
    context: dict[str, object] = {"invitation": invitation}
    if request.method == "POST":
        name = request.POST.get("username", "")
        try:
            person = projects.accept(
                token,
                user=request.user if request.user.is_authenticated else None,
                username=name,
                password=request.POST.get("password", ""),
            )
        except BadRequest as error:
            context |= {"problem": str(error), "username": name}
            return render(request, "accounts/join.html", context, status=400)
        login(request, person, backend=BACKEND)
        if invitation is not None and invitation.user is not None:
            request.session[BY_LINK] = time.time()
        answer = redirect("projects")
        addresses.remember(answer, person.get_username())
        return answer
    status = 200 if invitation else 410
    return render(request, "accounts/join.html", context, status=status)


@sensitive_post_parameters()
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """The password, and the tokens of programs that act for this person."""
    assert isinstance(request.user, User)
    what = request.POST.get("what")
    if what == "revoke":
        mine = request.user.api_tokens.filter(code=request.POST.get("token", ""))
        accounts.revoke_token(get_object_or_404(mine))
        messages.success(request, "The token is revoked.")
        return redirect("account")
    password = _password_form(request, request.POST if what == "password" else None)
    if password.is_bound and password.is_valid():
        accounts.set_password(request.user, password.cleaned_data["new_password1"])
        request.session.pop(BY_LINK, None)
        update_session_auth_hash(request, request.user)
        messages.success(request, "Your password is set. Other sessions have ended.")
        return redirect("account")
    token = TokenForm(request.POST if what == "token" else None)
    secret = ""
    if token.is_bound and token.is_valid():
        secret = accounts.make_token(request.user, **token.cleaned_data)[1]
        token = TokenForm()
    context = {
        "form": password,
        "token_form": token,
        "secret": secret,
        "tokens": request.user.api_tokens.all(),
    }
    status = 400 if password.errors or token.errors else 200
    return render(request, "accounts/account.html", context, status=status)


def _password_form(request: HttpRequest, data: Any) -> "SetPasswordForm[User]":
    """It asks for the old password, unless there is none or a link let one in just
    now: such links are for those who have forgotten theirs."""
    assert isinstance(request.user, User)
    by_link = time.time() - request.session.get(BY_LINK, 0) < LINK_S
    if by_link or not request.user.has_usable_password():
        return SetPasswordForm(request.user, data)
    return OldPasswordForm(request, data)
