"""Paraphrases of a project: tables, a search in one, substitution, test sets."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest, NotAllowed
from annotator.forms import refuse_unknown
from annotator.forms.paraphrases import TableForm, TestSetForm
from annotator.http.answers import form_page
from annotator.models import Bitext, Corpus, ParaphraseTable, Participant, Project
from annotator.models.projects import Anybody
from annotator.pages.paraphrases import search as pages
from annotator.pages.paraphrases import substitution
from annotator.services.paraphrases import tables as service
from annotator.services.paraphrases import test_sets
from annotator.services.paraphrases import weights as fitting

LONGEST = 200  # characters of a phrase
LONGEST_SENTENCE = 1000


@require_http_methods(["GET", "POST"])
def tables(request: HttpRequest, slug: str) -> HttpResponse:
    """The tables there are, and a form that asks for one more."""
    project = _project(request, slug)
    sent = request.POST if request.method == "POST" else None
    form = TableForm.empty(project) if sent is None else TableForm.sent(sent)

    def act() -> HttpResponse:
        made = _make_table(project, form, by=request.user)
        assert made.job is not None  # just started
        return redirect("job", slug, made.job.code)

    def page() -> dict[str, Any]:
        return pages.tables(project, by=request.user) | {"form": form}

    return form_page(request, "paraphrases/tables.html", page, act)


def _make_table(project: Project, form: TableForm, *, by: Anybody) -> ParaphraseTable:
    return service.start(
        project,
        form.name,
        form.bitexts,
        by=by,
        corpora=form.corpora,
        max_length=form.length,
        prepare=form.prepare,
    )


@require_GET
def search(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A phrase typed, and its paraphrases."""
    project, table = _table(request, slug, code)
    refuse_unknown(request.GET, {"phrase", "label", "condition", "corpus"})
    about = {name: _text(request, name) for name in ("label", "corpus")}
    usual = pages.WEIGHTED[0] if fitting.adopted(table) else "baseline"
    about["condition"] = request.GET.get("condition", usual)
    context = pages.shown(table, _text(request, "phrase"), **about)
    context |= _about(request, project, table)
    return render(request, "paraphrases/search.html", context)


@require_GET
def tables_of(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Tables 1 to 4 of the paper for one phrase."""
    project, table = _table(request, slug, code)
    refuse_unknown(request.GET, {"phrase"})
    phrase = _text(request, "phrase")
    if not phrase.strip():
        raise BadRequest(_("Enter a phrase."), field="phrase")
    context = {"phrase": phrase, "found": pages.tables_of(table, phrase)}
    context |= _about(request, project, table)
    return render(request, "paraphrases/phrase_tables.html", context)


@require_GET
def why(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The foreign phrases behind one paraphrase; a part of a page for htmx."""
    project, table = _table(request, slug, code)
    refuse_unknown(request.GET, {"phrase", "paraphrase", "label"})
    texts = [_text(request, name) for name in ("phrase", "paraphrase", "label")]
    if not (texts[0].strip() and texts[1].strip()):
        raise BadRequest(_("Enter a phrase and a paraphrase."), field="phrase")
    explained = pages.why(table, texts[0], texts[1], label=texts[2])
    context = {"project": project, "table": table, "why": explained, "label": texts[2]}
    name = "_why" if getattr(request, "htmx", False) else "why"
    return render(request, f"paraphrases/{name}.html", context)


@require_GET
def substitute(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A sentence, a phrase of it, and what each condition would put there."""
    project, table = _table(request, slug, code)
    refuse_unknown(request.GET, {"sentence", "phrase"})
    sentence = _text(request, "sentence", LONGEST_SENTENCE)
    phrase = _text(request, "phrase")
    context = substitution.shown(table, sentence, phrase)
    context |= _about(request, project, table)
    return render(request, "paraphrases/substitute.html", context)


@require_GET
def of_sentence(request: HttpRequest, slug: str) -> HttpResponse:
    """From a sentence to the choice of its phrases, in the newest table."""
    project = _project(request, slug)
    refuse_unknown(request.GET, {"sentence"})
    sentence = _text(request, "sentence", LONGEST_SENTENCE)
    table = project.tables.ready().order_by("-made_at").first()
    if table is None:
        return redirect("paraphrases", slug)
    where = reverse("paraphrase_substitute", args=[slug, table.code])
    return redirect(f"{where}?{urlencode({'sentence': sentence})}")


@require_http_methods(["GET", "POST"])
def campaign(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A test set out of a table and parsed sentences, as a campaign for people."""
    project = access.project_or_404(request.user, slug, "manage")
    table = get_object_or_404(project.tables, code=code)
    sent = request.POST if request.method == "POST" else None
    form = TestSetForm.empty(table) if sent is None else TestSetForm.sent(sent, table)
    return form_page(
        request,
        "paraphrases/campaign.html",
        lambda: pages.test_set(table) | {"form": form},
        lambda: _make_campaign(table, form, by=request.user),
    )


def _make_campaign(
    table: ParaphraseTable, form: TestSetForm, *, by: Anybody
) -> HttpResponse:
    text = _text_of(table.project, form.text)
    how = {"known": form.known, "weighted": form.weighted and table.weights.exists()}
    job = test_sets.start(
        table, text, form.name, n_phrases=form.n_phrases, by=by, **how
    )[1]
    return redirect("job", table.project.slug, job.code)


@require_http_methods(["GET", "POST"])
def weights(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The versions of the ninth condition, and a form that fits one more."""
    project, table = _table(request, slug, code)
    if request.method == "POST":
        access.require(request.user, "manage", project)

    def act() -> HttpResponse:
        wanted = request.POST.get("campaign", "")
        chosen = get_object_or_404(project.campaigns, code=wanted)
        return redirect("job", slug, fitting.start(table, chosen, by=request.user).code)

    def page() -> dict[str, Any]:
        return pages.fitting(table, by=request.user)

    return form_page(request, "paraphrases/weights.html", page, act)


@require_POST
def remove(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    project, table = _table(request, slug, code)
    service.remove(table, by=request.user)
    return redirect("paraphrases", project.slug)


def _text_of(project: Project, named: str) -> Corpus | Bitext:
    """A corpus by its code, a bitext by "bitext:" and its code."""
    kind, colon, code = named.rpartition(":")
    if colon and kind == "bitext":
        return get_object_or_404(project.bitexts, code=code)
    return get_object_or_404(project.corpora, code=named)


def _table(
    request: HttpRequest, slug: str, code: str
) -> tuple[Project, ParaphraseTable]:
    project = _project(request, slug)
    return project, get_object_or_404(project.tables, code=code)


def _project(request: HttpRequest, slug: str) -> Project:
    """The project. Raises NotAllowed while the person judges there: a table says which
    condition and rank a paraphrase has."""
    project = access.project_or_404(request.user, slug)
    if Participant.blind_in(request.user).filter(project=project).exists():
        raise NotAllowed(_("You cannot open tables while you judge paraphrases."))
    return project


def _about(
    request: HttpRequest, project: Project, table: ParaphraseTable
) -> dict[str, Any]:
    may_manage = access.may(request.user, "manage", project)
    return {"project": project, "table": table, "may_manage": may_manage}


def _text(request: HttpRequest, name: str, longest: int = LONGEST) -> str:
    text = request.GET.get(name, "")
    if len(text) > longest or "\x00" in text:
        reason = _("At most %(n)s characters.") % {"n": longest}
        raise BadRequest(reason, field=name)
    return text
