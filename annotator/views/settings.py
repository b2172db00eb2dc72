"""For managers: names, archive, copies, deleting and undoing, the log."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown, whole
from annotator.models import Campaign, Project
from annotator.pages.site import settings as pages
from annotator.services.campaigns import copying
from annotator.services.projects import keeping, removals
from annotator.services.projects.removals import KINDS, Part


@never_cache
@require_http_methods(["GET", "POST"])
def of_project(request: HttpRequest, slug: str) -> HttpResponse:
    return _answer(request, access.project_or_404(request.user, slug, "manage"))


@never_cache
@require_http_methods(["GET", "POST"])
def of_part(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """Settings of a corpus, a campaign or a set of ratings."""
    if kind not in KINDS:
        raise Http404(_("Only corpora, campaigns and ratings have settings."))
    project = access.project_or_404(request.user, slug, "manage")
    rows: Any = KINDS[kind]._base_manager.filter(project=project)
    return _answer(request, get_object_or_404(rows, code=code))


def _answer(request: HttpRequest, thing: Project | Part) -> HttpResponse:
    page, status = pages.settings(thing), 200
    if request.method == "POST":
        try:
            return _DO[request.POST.get("what", "")](request, thing)
        except KeyError as error:
            known = ", ".join(_DO)
            problem = _("What to do? One of %(known)s.") % {"known": known}
            raise BadRequest(problem) from error
        except Refusal as error:
            page["problem"], status = str(error), error.status
            page["sent"] = request.POST
    return render(request, "projects/settings.html", page, status=status)


def _describe(request: HttpRequest, thing: Project | Part) -> HttpResponse:
    keeping.describe(thing, request.POST.dict(), by=request.user)
    messages.success(request, _("Saved."))
    return redirect(pages.settings_url(thing))


def _archive(request: HttpRequest, thing: Project | Part) -> HttpResponse:
    keeping.archive(thing, by=request.user)
    message = _("%(name)s is archived and hidden from the lists.")
    messages.success(request, message % {"name": thing.name})
    return redirect(pages.settings_url(thing))


def _unarchive(request: HttpRequest, thing: Project | Part) -> HttpResponse:
    keeping.unarchive(thing, by=request.user)
    message = _("%(name)s is shown in the lists again.")
    messages.success(request, message % {"name": thing.name})
    return redirect(pages.settings_url(thing))


def _copy(request: HttpRequest, thing: Project | Part) -> HttpResponse:
    if not isinstance(thing, Campaign):
        raise BadRequest(_("Only a campaign can be copied."))
    made = copying.copy_campaign(
        thing,
        request.POST.get("copy", ""),
        by=request.user,
        with_items="items" in request.POST,
    )
    message = _("%(copy)s is a copy of %(name)s.")
    messages.success(request, message % {"copy": made.name, "name": thing.name})
    return redirect("campaign", made.project.slug, made.code)


def _delete(request: HttpRequest, thing: Project | Part) -> HttpResponse:
    pages.require_confirmed(thing, request.POST.get("confirm", ""))
    name, is_project = thing.name, isinstance(thing, Project)
    slug = thing.slug if isinstance(thing, Project) else thing.project.slug
    removals.remove(thing, by=request.user)
    message = _("%(name)s was deleted. You can restore it for %(days)s days.")
    messages.success(request, message % {"name": name, "days": removals.KEEP_DAYS})
    to = reverse("projects") if is_project else reverse("project_settings", args=[slug])
    return redirect(f"{to}#deleted")


_DO = {
    "describe": _describe,
    "archive": _archive,
    "unarchive": _unarchive,
    "copy": _copy,
    "delete": _delete,
}


@require_POST
def restore(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Undo a deletion in a project."""
    project = access.project_or_404(request.user, slug, "manage")
    thing = removals.restore(
        get_object_or_404(project.removals, code=code), by=request.user
    )
    messages.success(request, _("%(name)s was restored.") % {"name": thing.name})
    return redirect(pages.settings_url(thing))


@require_POST
def restore_project(request: HttpRequest, code: str) -> HttpResponse:
    """Undo the deletion of a project; those who did not manage it see none."""
    mine = removals.deleted_projects(request.user)
    removal = next((row for row in mine if row.code == code), None)
    if removal is None:
        raise Http404(_("There is no such deleted project of yours."))
    removals.restore(removal, by=request.user)
    message = _("%(name)s was restored with all its members.")
    messages.success(request, message % {"name": removal.name})
    return redirect("project", removal.holder.slug)


@never_cache
@require_GET
def project_log(request: HttpRequest, slug: str) -> HttpResponse:
    """Activity log to the project, and when."""
    project = access.project_or_404(request.user, slug, "manage")
    refuse_unknown(request.GET, {"page", "who"})
    page = whole(request.GET.get("page", "1"), 1, 10**9) or 1
    shown = pages.log(project, page=page, who=request.GET.get("who", ""))
    return render(request, "projects/log.html", shown)
