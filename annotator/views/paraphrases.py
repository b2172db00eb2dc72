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
from annotator.forms import refuse_unknown, whole
from annotator.models import Bitext, Corpus, ParaphraseTable, Project
from annotator.pages import paraphrases as page
from annotator.services.paraphrases import tables as service
from annotator.services.paraphrases import test_sets
from annotator.services.paraphrases import weights as fitting
from core.errors import GemelError

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
    bitexts = list(project.bitexts.all())
    context: dict[str, Any] = {"problem": "", "prepare": True}
    context |= {"name": project.name}
    context |= {"chosen": [one.code for one in bitexts]}
    if request.method == "POST":
        context["name"] = request.POST.get("name", "")
        context["chosen"] = request.POST.getlist("bitexts")
        context["prepare"] = request.POST.get("prepare") == "yes"
        try:
            made = service.start(
                project,
                context["name"],
                context["chosen"],
                by=request.user,
                max_length=whole(request.POST.get("length", "5"), 1, 99) or 0,
                prepare=context["prepare"],
            )
        except Refusal as error:
            context |= {"problem": str(error), "status": error.status}
        else:
            assert made.job is not None  # just started
            return redirect("job", slug, made.job.code)
    context |= {
        "project": project,
        "tables": project.tables.select_related("job"),
        "bitexts": bitexts,
        "lengths": service.LENGTHS,
        "may_run": access.may(request.user, "run", project),
    }
    status = context.get("status", 200)
    return render(request, "paraphrases/tables.html", context, status=status)


@login_required
@require_GET
def search(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A phrase typed, and its paraphrases."""
    project, table = _table(request, slug, code)
    refuse_unknown(request.GET, {"phrase", "label", "condition", "corpus"})
    phrase, label = _text(request, "phrase"), _text(request, "label")
    corpus = _text(request, "corpus")
    condition = request.GET.get("condition", "baseline")
    conditions = page.conditions(table)
    if condition not in dict(conditions):
        raise BadRequest(_("There is no such condition."), field="condition")
    is_score = condition == "weighted" and not label
    context: dict[str, Any] = {
        "project": project,
        "table": table,
        "phrase": phrase,
        "label": label,
        "corpus": corpus,
        "condition": condition,
        "conditions": conditions,
        "is_score": is_score,
        "measure": _("Score") if is_score else _("Probability"),
        "may_manage": access.may(request.user, "manage", project),
    }
    if phrase.strip() and table.made_at:
        try:
            context["found"] = page.search(
                table, phrase, label=label, condition=condition, corpus=corpus
            )
        except GemelError as error:
            context["problem"] = str(error)
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
    context = {
        "project": project,
        "table": table,
        "phrase": phrase,
        "found": page.tables_of(table, phrase),
        "may_manage": access.may(request.user, "manage", project),
    }
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
    context: dict[str, Any] = {
        "project": project,
        "table": table,
        "sentence": sentence,
        "phrase": phrase,
        "may_manage": access.may(request.user, "manage", project),
    }
    if sentence.strip():
        try:
            if phrase.strip():
                context["found"] = page.substitution(table, sentence, phrase)
            else:
                context["choices"] = page.choices(sentence)
        except (GemelError, Refusal) as error:
            context["problem"] = str(error)
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
    sent = request.POST
    name = _("Substitutions from %(name)s") % {"name": table.name}
    context: dict[str, Any] = {
        "project": project,
        "table": table,
        "corpora": project.corpora.all(),
        "bitexts": project.bitexts.exclude(parser=""),
        "name": sent.get("name", name)[:120],
        "phrases": sent.get("phrases", "100"),
        "text": sent.get("text", f"bitext:{table.rules.get('bitexts', [''])[0]}"),
        "known": sent.get("known", "" if sent else "yes") == "yes",
        "fitted": table.weights.first(),
        "weighted": sent.get("weighted", "" if sent else "yes") == "yes",
        "most": test_sets.MOST,
    }
    if request.method == "POST":
        try:
            _made, job = test_sets.start(
                table,
                _text_of(project, context["text"]),
                context["name"],
                n_phrases=whole(context["phrases"], 1, test_sets.MOST) or 0,
                by=request.user,
                known=context["known"],
                weighted=bool(context["fitted"]) and context["weighted"],
            )
        except Refusal as error:
            context["problem"] = str(error)
            return render(
                request, "paraphrases/campaign.html", context, status=error.status
            )
        return redirect("job", slug, job.code)
    return render(request, "paraphrases/campaign.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def weights(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The versions of the ninth condition, and a form that fits one more."""
    project, table = _table(request, slug, code)
    may_manage = access.may(request.user, "manage", project)
    problem, status = "", 200
    if request.method == "POST":
        access.require(request.user, "manage", project)
        campaigns = project.campaigns.all()
        chosen = get_object_or_404(campaigns, code=request.POST.get("campaign", ""))
        try:
            job = fitting.start(table, chosen, by=request.user)
        except Refusal as error:
            problem, status = str(error), error.status
        else:
            return redirect("job", slug, job.code)
    context = {
        "project": project,
        "table": table,
        "problem": problem,
        "versions": page.versions(table),
        "campaigns": page.judged_campaigns(project) if may_manage else (),
        "may_manage": may_manage,
    }
    return render(request, "paraphrases/weights.html", context, status=status)


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


def _text(request: HttpRequest, name: str, longest: int = LONGEST) -> str:
    text = request.GET.get(name, "")
    if len(text) > longest or "\x00" in text:
        reason = _("At most %(n)s characters.") % {"n": longest}
        raise BadRequest(reason, field=name)
    return text
