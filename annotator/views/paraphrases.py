"""Paraphrases of a project: tables, a search in one, substitution, test sets."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
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
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown
from annotator.forms.paraphrases import TableForm, TestSetForm
from annotator.models import Bitext, Corpus, Job, ParaphraseTable, Project
from annotator.models.projects import Anybody
from annotator.pages.paraphrases import asking, substitution
from annotator.pages.paraphrases import search as page
from annotator.services.paraphrases import tables as service
from annotator.services.paraphrases import test_sets
from annotator.services.paraphrases import weights as fitting

__all__ = [
    "campaign",
    "of_sentence",
    "remove",
    "search",
    "substitute",
    "tables",
    "tables_of",
    "weights",
    "why",
]

LONGEST = 200  # characters of a phrase
LONGEST_SENTENCE = 1000


@login_required
@require_http_methods(["GET", "POST"])
def tables(request: HttpRequest, slug: str) -> HttpResponse:
    """The tables there are, and a form that asks for one more."""
    project = access.project_or_404(request.user, slug)
    if request.method == "GET":
        return _tables(request, project, TableForm.empty(project))
    form = TableForm.sent(request.POST)
    try:
        made = _make_table(project, form, by=request.user)
    except Refusal as error:
        return _tables(request, project, form, error)
    assert made.job is not None  # just started
    return redirect("job", slug, made.job.code)


def _tables(
    request: HttpRequest, project: Project, form: TableForm, why: Refusal | None = None
) -> HttpResponse:
    context = asking.tables(project, by=request.user) | {"form": form}
    return _form(request, "tables", context, why)


def _make_table(project: Project, form: TableForm, *, by: Anybody) -> ParaphraseTable:
    return service.start(
        project,
        form.name,
        form.bitexts,
        by=by,
        max_length=form.length,
        prepare=form.prepare,
    )


def _form(
    request: HttpRequest, name: str, context: dict[str, Any], why: Refusal | None
) -> HttpResponse:
    """The page of a form; with the reason, if what it sent was refused."""
    context["problem"] = str(why or "")
    status = why.status if why else 200
    return render(request, f"paraphrases/{name}.html", context, status=status)


@login_required
@require_GET
def search(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A phrase typed, and its paraphrases."""
    project, table = _table(request, slug, code)
    refuse_unknown(request.GET, {"phrase", "label", "condition", "corpus"})
    context = page.shown(
        table,
        _text(request, "phrase"),
        label=_text(request, "label"),
        condition=request.GET.get("condition", "baseline"),
        corpus=_text(request, "corpus"),
    )
    context |= _about(request, project, table)
    return render(request, "paraphrases/search.html", context)


@login_required
@require_GET
def tables_of(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Tables 1 to 4 of the paper for one phrase."""
    project, table = _table(request, slug, code)
    refuse_unknown(request.GET, {"phrase"})
    phrase = _text(request, "phrase")
    if not phrase.strip():
        raise BadRequest(_("A phrase is needed."), field="phrase")
    context = {"phrase": phrase, "found": page.tables_of(table, phrase)}
    context |= _about(request, project, table)
    return render(request, "paraphrases/phrase_tables.html", context)


@login_required
@require_GET
def why(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The foreign phrases behind one paraphrase; a part of a page for htmx."""
    project, table = _table(request, slug, code)
    refuse_unknown(request.GET, {"phrase", "paraphrase", "label"})
    texts = [_text(request, name) for name in ("phrase", "paraphrase", "label")]
    if not (texts[0].strip() and texts[1].strip()):
        raise BadRequest(_("A phrase and a paraphrase are needed."), field="phrase")
    explained = page.why(table, texts[0], texts[1], label=texts[2])
    context = {"project": project, "table": table, "why": explained, "label": texts[2]}
    name = "_why" if getattr(request, "htmx", False) else "why"
    return render(request, f"paraphrases/{name}.html", context)


@login_required
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


@login_required
@require_GET
def of_sentence(request: HttpRequest, slug: str) -> HttpResponse:
    """From a sentence to the choice of its phrases, in the newest table there is."""
    project = access.project_or_404(request.user, slug)
    refuse_unknown(request.GET, {"sentence"})
    sentence = _text(request, "sentence", LONGEST_SENTENCE)
    table = project.tables.ready().order_by("-made_at").first()
    if table is None:
        return redirect("paraphrases", slug)
    where = reverse("paraphrase_substitute", args=[slug, table.code])
    return redirect(f"{where}?{urlencode({'sentence': sentence})}")


@login_required
@require_http_methods(["GET", "POST"])
def campaign(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A test set out of a table and parsed sentences, as a campaign for people."""
    project = access.project_or_404(request.user, slug, "manage")
    table = get_object_or_404(project.tables, code=code)
    if request.method == "GET":
        form = TestSetForm.empty(table)
        return _form(request, "campaign", _test_set(table, form), None)
    form = TestSetForm.sent(request.POST, table)
    try:
        job = _make_campaign(table, form, by=request.user)
    except Refusal as error:
        return _form(request, "campaign", _test_set(table, form), error)
    return redirect("job", slug, job.code)


def _test_set(table: ParaphraseTable, form: TestSetForm) -> dict[str, Any]:
    return asking.test_set(table) | {"form": form}


def _make_campaign(table: ParaphraseTable, form: TestSetForm, *, by: Anybody) -> Job:
    text = _text_of(table.project, form.text)
    how = {"known": form.known, "weighted": form.weighted and table.weights.exists()}
    return test_sets.start(
        table, text, form.name, n_phrases=form.n_phrases, by=by, **how
    )[1]


@login_required
@require_http_methods(["GET", "POST"])
def weights(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The versions of the ninth condition, and a form that fits one more."""
    project, table = _table(request, slug, code)
    if request.method == "GET":
        context = asking.fitting(table, by=request.user)
        return _form(request, "weights", context, None)
    access.require(request.user, "manage", project)
    wanted = request.POST.get("campaign", "")
    chosen = get_object_or_404(project.campaigns, code=wanted)
    try:
        job = fitting.start(table, chosen, by=request.user)
    except Refusal as error:
        context = asking.fitting(table, by=request.user)
        return _form(request, "weights", context, error)
    return redirect("job", slug, job.code)


@login_required
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
    project = access.project_or_404(request.user, slug)
    return project, get_object_or_404(project.tables, code=code)


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
