"""Signing in and out, joining by a link, one's own account."""

import time
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, SetPasswordForm
from django.contrib.auth.models import User
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.i18n import JavaScriptCatalog

from annotator.errors import BadRequest, Conflict, NotReady, Refusal
from annotator.forms.accounts import (
    NoticesForm,
    OldPasswordForm,
    TokenForm,
    is_password_of,
)
from annotator.http import addresses, context, oidc
from annotator.http.answers import form_page, safe_next
from annotator.models import Invitation, MailNotices
from annotator.pages.site.documents import rendered
from annotator.services import accounts, identities
from annotator.services.campaigns import crowd
from annotator.services.projects import invitations

BY_LINK = "by_link_at"  # in the session: when a sign-in link was used
LINK_S = 3600
LINKING = "oidc_linking_at"  # in the session: when the password was given for it
LINKING_S = 600
BACKEND = "annotator.http.sessions.Accounts"


@login_not_required
@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    form = AuthenticationForm(request, request.POST or None)
    wanted = request.POST.get("next") or request.GET.get("next") or ""

    def act() -> HttpResponse | None:
        if not form.is_valid():
            return None
        return let_in(request, form.get_user(), safe_next(request, wanted))

    page = {"form": form, "next": wanted}
    name = "accounts/sign_in.html"
    return form_page(
        request, name, lambda: page, act, refused=_no_directory, catch=NotReady
    )


def _no_directory(error: Refusal, request: HttpRequest) -> dict[str, Any]:
    return {"form": AuthenticationForm(request), "problem": str(error)}


@login_not_required
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Light, dark, or as the system is, in this browser."""
    answer = redirect(safe_next(request, request.POST.get("next", "")))
    try:
        context.remember_theme(answer, request.POST.get("theme", ""))
    except KeyError as error:
        names = ", ".join(context.THEMES)
        problem = _("Choose a theme: %(known)s.") % {"known": names}
        raise BadRequest(problem, field="theme") from error
    return answer


@login_not_required
@cache_control(public=True, max_age=3600)
def words(request: HttpRequest, language: str) -> HttpResponseBase:
    """Texts of scripts, in one language; Django's script defines ``django.gettext``."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    with translation.override(language):
        return JavaScriptCatalog.as_view(packages=["annotator"])(request)


def let_in(request: HttpRequest, person: User, to: str) -> HttpResponse:
    login(request, person, backend=BACKEND)
    answer = redirect(to)
    addresses.remember(answer, person.get_username())
    return answer


def is_linking(request: HttpRequest) -> bool:
    """Whether who is signed in may link the account to an identity elsewhere, now."""
    is_recent = 0 <= time.time() - request.session.get(LINKING, 0) < LINKING_S
    return request.user.is_authenticated and is_recent


@login_not_required
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign_in")


@login_not_required
@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Opening the link changes nothing (mail scanners open links); POST uses it."""
    if (link := crowd.find(token)) is not None:
        return _crowd(request, link)
    shown: dict[str, Any] = {"invitation": invitations.find_invitation(token)}
    status = 200 if shown["invitation"] else 410
    if request.method == "POST":
        try:
            return _join(request, token)
        except BadRequest as error:
            name = request.POST.get("username", "")
            shown, status = shown | {"problem": str(error), "username": name}, 400
    return render(request, "accounts/join.html", shown, status=status)


def _join(request: HttpRequest, token: str) -> HttpResponse:
    invitation = invitations.find_invitation(token)
    person = invitations.accept(
        token,
        user=request.user if request.user.is_authenticated else None,
        username=request.POST.get("username", ""),
        password=request.POST.get("password", ""),
    )
    answer = let_in(request, person, _first_page(invitation))
    name = person.get_username()
    if request.POST.get("username", name).strip() != name:
        messages.info(request, _("You sign in as %(name)s.") % {"name": name})
    if invitation is not None and invitation.user is not None:
        request.session[BY_LINK] = time.time()
    return answer


def _crowd(request: HttpRequest, link: Invitation) -> HttpResponse:
    """A participant of a platform: what to agree to, then straight to the items."""
    campaign, who = link.campaign, crowd.visitor(link.provider, request.GET)
    assert campaign is not None
    is_theirs = request.user.is_anonymous or crowd.is_guest(link, request.user)
    page: dict[str, Any] = {"invitation": link, "html": rendered(link.consent)}
    page |= {"may_enter": bool(who) and is_theirs and campaign.is_open}
    page["screening"] = [
        (n, one["question"], list(enumerate(one["choices"])))
        for n, one in enumerate(link.screening)
    ]
    if request.method == "GET":
        return render(request, "accounts/crowd.html", page)
    if request.POST.get("what") == "decline":
        page["end"] = crowd.ending(link, is_rejected=True)
        return render(request, "accounts/crowd.html", page)
    if who is None or not page["may_enter"]:
        return render(request, "accounts/crowd.html", page, status=409)
    chosen = {
        name.removeprefix("screening-"): str(value)
        for name, value in request.POST.items()
    }
    try:
        if not crowd.qualifies(link, who, chosen):
            ends = crowd.ending(link, is_rejected=True, is_screened=True)
            page["end"] = ends | {"is_screened": True}
            return render(request, "accounts/crowd.html", page)
        person = crowd.come_in(link, who)
    except BadRequest as error:
        page["problem"] = str(error)
        return render(request, "accounts/crowd.html", page, status=400)
    except Conflict as error:
        page["end"] = crowd.ending(link, is_rejected=True) | {"why": str(error)}
        return render(request, "accounts/crowd.html", page, status=409)
    return let_in(request, person, _first_page(link))


def _first_page(invitation: Invitation | None) -> str:
    """Judging, where a campaign's link leads and there is something to judge."""
    campaign = invitation.campaign if invitation is not None else None
    if campaign is None or not campaign.is_open:
        return reverse("projects")
    return reverse("judge", args=[campaign.project.slug, campaign.code])


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """The password, and the tokens of programs that act for this person."""
    person = request.user
    assert isinstance(person, User)
    what, secret = request.POST.get("what"), ""
    sent = {what: request.POST}
    password = _password_form(request, sent.get("password"))
    token = TokenForm(sent.get("token"))
    notices = _notices_form(person, sent.get("notices"))
    if what == "revoke":
        return _revoke(request, person)
    if password.is_valid():
        return _set_password(request, person, password)
    if notices.is_valid():
        return _set_notices(request, person, notices)
    if token.is_valid():
        secret = accounts.make_token(person, **token.cleaned_data)[1]
        token = TokenForm()
    forms = {"form": password, "token_form": token, "notices": notices}
    return _account(request, person, forms, secret)


def _account(
    request: HttpRequest, person: User, forms: Mapping[str, BaseForm], secret: str
) -> HttpResponse:
    """The page; ``secret``: of a token made just now, which is shown once."""
    shown = {"secret": secret, "is_linking": is_linking(request)}
    shown |= {"tokens": person.api_tokens.all(), "identities": person.identities.all()}
    shown["sends_mail"] = bool(settings.EMAIL_HOST)
    status = 400 if any(form.errors for form in forms.values()) else 200
    return render(request, "accounts/account.html", {**forms, **shown}, status=status)


def _set_notices(request: HttpRequest, person: User, form: NoticesForm) -> HttpResponse:
    accounts.set_notices(person, **form.cleaned_data)
    messages.success(request, _("Saved."))
    return redirect("account")


def _revoke(request: HttpRequest, person: User) -> HttpResponse:
    mine = person.api_tokens.filter(code=request.POST.get("token", ""))
    accounts.revoke_token(get_object_or_404(mine))
    messages.success(request, _("The token is revoked."))
    return redirect("account")


def _set_password(
    request: HttpRequest, person: User, form: "SetPasswordForm[User]"
) -> HttpResponse:
    accounts.set_password(person, form.cleaned_data["new_password1"])
    request.session.pop(BY_LINK, None)
    update_session_auth_hash(request, person)
    messages.success(request, _("Your password is set. Other sessions have ended."))
    return redirect("account")


def _notices_form(person: User, sent: QueryDict | None) -> NoticesForm:
    """The URLs of all pages and endpoints, grouped by noun."""
    is_wanted = MailNotices.objects.filter(user=person).exists()
    return NoticesForm(sent, initial={"email": person.email, "is_wanted": is_wanted})


def _password_form(request: HttpRequest, data: Any) -> "SetPasswordForm[User]":
    """It asks for the old password, unless there is none or a link let one in just
    now: such links are for those who have forgotten theirs."""
    assert isinstance(request.user, User)
    by_link = time.time() - request.session.get(BY_LINK, 0) < LINK_S
    if by_link or not request.user.has_usable_password():
        return SetPasswordForm(request.user, data)
    return OldPasswordForm(request, data)


NEXT = "oidc_next"  # in the session: the requested page


@login_not_required
@never_cache
@require_GET
def oidc_start(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider, which sends people back to ``back``."""
    if not oidc.name():
        raise Http404
    request.session[NEXT] = request.GET.get("next", "")[:2000]
    try:
        return oidc.leave(request)
    except Refusal as error:
        return _not_in(request, error)


@login_not_required
@never_cache
@require_GET
def oidc_back(request: HttpRequest) -> HttpResponse:
    if not oidc.name():
        raise Http404
    try:
        told = oidc.returned(request)
        if is_linking(request):
            return _linked(request, told)
        person = identities.person_of(told.issuer, told.subject, name=told.name)
    except Refusal as error:
        return _not_in(request, error)
    wanted = request.session.pop(NEXT, "")
    return let_in(request, person, safe_next(request, wanted))


def _linked(request: HttpRequest, told: oidc.Claims) -> HttpResponse:
    """Anyone who gave the password of this account a moment ago, in this session."""
    assert isinstance(request.user, User)
    del request.session[LINKING]
    try:
        identities.link(request.user, told.issuer, told.subject)
        messages.success(request, _("Linked. You can now sign in with it."))
    except Refusal as error:
        messages.error(request, str(error))
    return redirect("account")


@sensitive_post_parameters("password")
@never_cache
@require_POST
def oidc_links(request: HttpRequest) -> HttpResponse:
    """Begin to link, or unlink: with the account's password, given again.

    The way to the provider is a link on the next page: the browser lets no form lead
    to another site.
    """
    assert isinstance(request.user, User)
    password = request.POST.get("password", "")
    has_one = request.user.has_usable_password()
    if not (has_one and is_password_of(request.user, password, request)):
        messages.error(request, _("That is not the password of this account."))
    elif request.POST.get("what") == "unlink":
        identities.unlink(request.user, request.POST.get("subject", ""))
        messages.success(request, _("Unlinked. It no longer opens this account."))
    elif oidc.name():
        request.session[LINKING] = time.time()
    return redirect("account")


def _not_in(request: HttpRequest, error: Refusal) -> HttpResponse:
    shown = {
        "form": AuthenticationForm(request),
        "next": request.session.get(NEXT, ""),
        "problem": str(error),
    }
    return render(request, "accounts/sign_in.html", shown, status=error.status)
