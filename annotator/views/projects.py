"""Projects and their people."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.forms import refuse_unknown, whole
from annotator.forms.projects import invitation
from annotator.http import answers
from annotator.models import Campaign, Project
from annotator.models.projects import Anybody
from annotator.pages.site import dashboard as pages
from annotator.pages.site import figures, learning, quality, settings
from annotator.services.campaigns import crowd
from annotator.services.paraphrases import weights
from annotator.services.parses import offered
from annotator.services.projects import invitations, members


@require_GET
def projects(request: HttpRequest) -> HttpResponse:
    return render(request, "projects/projects.html", pages.home(request.user))


@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    if request.method == "GET":
        return render(request, "projects/new.html")
    project = members.create(
        request.POST.get("name", ""),
        by=request.user,
        description=request.POST.get("description", ""),
    )
    return redirect("project", project.slug)


@require_GET
def project(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    shown = pages.overview(project, by=request.user)
    return render(request, "projects/project.html", shown)


@require_http_methods(["GET", "POST"])
def learn(request: HttpRequest, slug: str) -> HttpResponse:
    """The models that the project made: adopt one, or undo that."""
    verb = "see_others" if request.method == "GET" else "manage"
    project = access.project_or_404(request.user, slug, verb)
    if request.method == "POST":
        what, _colon, name = request.POST.get("model", "").partition(":")
        is_undone = request.POST.get("do") == "undo"
        if what == offered.WHAT:
            _adopt_parser(project, "" if is_undone else name, by=request.user)
        else:
            _adopt_weights(project, what, "" if is_undone else name, by=request.user)
        return redirect("learn", slug)
    page = learning.learning(project, by=request.user)
    return render(request, "projects/learn.html", page)


def _adopt_parser(project: Project, name: str, *, by: Anybody) -> None:
    """``name``: "" undoes the last adoption."""
    if name:
        offered.adopt(project, name, by=by)
    else:
        offered.undo_adoption(project, by=by)


def _adopt_weights(project: Project, what: str, number: str, *, by: Anybody) -> None:
    """``number``: "" undoes the last adoption."""
    code = what.removeprefix("weights_")
    table = get_object_or_404(project.tables, code=code)
    if number:
        weights.adopt(table, whole(number, 1, 10**6) or 0, by=by)
    else:
        weights.undo_adoption(table, by=by)


@require_GET
def agreement_line(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A part of the overview, asked for once that is there."""
    campaign = access.campaign_or_404(request.user, slug, code, "report")
    return render(request, "projects/_agreement.html", figures.agreement_line(campaign))


@require_GET
def measured_needs(request: HttpRequest) -> HttpResponse:
    """The part of "Needs you" that has to be measured; of one project, or of all."""
    slug = request.GET.get("project", "")
    refuse_unknown(request.GET, {"project"})
    project = access.project_or_404(request.user, slug, "manage") if slug else None
    needs = quality.of_agreement(request.user, project)
    context = {"needs": needs, "project": project}
    return render(request, "projects/_need.html", context)


@require_GET
def corpora(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    context = {
        "project": project,
        "corpora": project.corpora.filter(archived_at=None),
        "archived": project.corpora.exclude(archived_at=None),
        "bitexts": project.bitexts.all(),
        "may_import": access.may(request.user, "import", project),
    }
    return render(request, "projects/corpora.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
def people(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    refuse_unknown(request.GET, {"q", "people"})
    changed = _change(request, project) if request.method == "POST" else {}
    page = settings.people(project, request.GET.dict(), by=request.user) | changed
    return render(request, "projects/people.html", page)


def _change(request: HttpRequest, project: Project) -> dict[str, object]:
    """Invite, revoke, change a role, or remove; what the page shows of it."""
    if request.POST.get("what") in ("invite", "revoke"):
        return change_links(request, project)
    name = request.POST.get("member", "")
    member = get_object_or_404(project.memberships, user__username=name)
    if request.POST.get("what") == "sign-in":
        token = invitations.reset(member, by=request.user)
        url = request.build_absolute_uri(reverse("join", args=[token]))
        return {"sign_in_link": url, "person": member.user}
    if request.POST.get("what") == "remove":
        members.remove_member(member, by=request.user)
    else:
        members.set_role(member, request.POST.get("role", ""), by=request.user)
    return {}


def change_links(
    request: HttpRequest, project: Project, campaign: Campaign | None = None
) -> dict[str, object]:
    """Make a link or revoke one; a new link, which is shown once."""
    what = request.POST.get("what")
    if what in ("revoke", "forget"):
        rows = project.invitation_set.filter(campaign=campaign)
        link = get_object_or_404(rows, code=request.POST.get("link", ""))
        end = invitations.revoke if what == "revoke" else crowd.forget
        end(link, by=request.user)
        return {}
    wanted = invitation(request.POST)
    made, token = invitations.invite(
        project, by=request.user, campaign=campaign, **wanted
    )
    url = request.build_absolute_uri(reverse("join", args=[token]))
    if made.provider:
        url = f"{url}?{crowd.template(made.provider)}"
    answers.taken(request)
    return {"link": url, "made": made}
