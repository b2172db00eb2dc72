"""Signing in and out, joining by a link, one's own account."""

from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, SetPasswordForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from annotator.errors import BadRequest
from annotator.services import accounts, projects

BACKEND = "django.contrib.auth.backends.ModelBackend"


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    form = AuthenticationForm(request, request.POST or None)
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    if request.method == "POST" and form.is_valid():
        login(request, form.get_user())
        safe = url_has_allowed_host_and_scheme(
            wanted, {request.get_host()}, require_https=request.is_secure()
        )
        return redirect(wanted if safe else "projects")
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
        return redirect("projects")
    status = 200 if invitation else 410
    return render(request, "accounts/join.html", context, status=status)


@sensitive_post_parameters()
@login_required
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)
    what = request.POST.get("what")
    data = request.POST if what == "password" else None
    form = SetPasswordForm(request.user, data)
    token = accounts.new_token(request.user) if what == "token" else ""
    if data is not None and form.is_valid():
        update_session_auth_hash(request, form.save())
        messages.success(request, "Your password is set.")
        return redirect("account")
    return render(request, "accounts/account.html", {"form": form, "token": token})
