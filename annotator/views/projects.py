"""Projects and their people."""

from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.models import Project, Role
from annotator.services import projects as service
from annotator.services.campaigns import desk


@login_required
@require_GET
def projects(request: HttpRequest) -> HttpResponse:
    rows = Project.objects.visible_to(request.user)
    rows = rows.annotate(n_corpora=Count("corpora", distinct=True))
    context = {"projects": rows, "to_judge": desk.open_to(request.user)}
    return render(request, "projects/projects.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    if request.method == "GET":
        return render(request, "projects/new.html")
    project = service.create(
        request.POST.get("name", ""),
        by=request.user,
        description=request.POST.get("description", ""),
    )
    return redirect("project", project.slug)


@login_required
@require_GET
def project(request: HttpRequest, slug: str) -> HttpResponse:
    found = access.project_or_404(request.user, slug)
    context = {
        "project": found,
        "corpora": found.corpora.all(),
        "role": access.role_in(request.user, found),
    }
    return render(request, "projects/project.html", context)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def people(request: HttpRequest, slug: str) -> HttpResponse:
    found = access.project_or_404(request.user, slug)
    context: dict[str, object] = {
        "project": found,
        "may_manage": access.may(request.user, "manage", found),
        "roles": Role.choices,
    }
    if request.method == "POST":
        context |= _change(request, found)
    members = found.memberships.select_related("user").order_by("user__username")
    return render(request, "projects/people.html", context | {"members": members})


def _change(request: HttpRequest, project: Project) -> dict[str, object]:
    """Invite, change a role, or remove; what the page shows of it."""
    role = request.POST.get("role", "")
    if request.POST.get("what") == "invite":
        made, token = service.invite(
            project, role=role, by=request.user, note=request.POST.get("note", "")
        )
        url = request.build_absolute_uri(reverse("join", args=[token]))
        return {"link": url, "expires": made.expires_at}
    name = request.POST.get("member", "")
    member = get_object_or_404(project.memberships, user__username=name)
    if request.POST.get("what") == "remove":
        service.remove_member(member, by=request.user)
    else:
        service.set_role(member, role, by=request.user)
    return {}
