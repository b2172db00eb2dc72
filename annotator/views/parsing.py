"""Parses: those of a corpus, of a sentence, and of a sentence somebody types."""

from typing import Any, BinaryIO, cast
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import number, refuse_unknown
from annotator.models import Corpus, Job, Sentence
from annotator.pages import corpora, domains, parses
from annotator.services.corpora import storing
from annotator.services.parses import (
    accuracy,
    linking,
    offered,
    parsers,
    substitution,
    training,
)
from annotator.services.parses.accuracy import CorpusEngine
from core.errors import GemelError
from core.parsing import registry

__all__ = [
    "corpus_parses",
    "corpus_sentences",
    "sentence",
    "try_out",
    "with_substitution",
]

EXAMPLE = "The nurse who opened the window saw a man with a telescope."


@login_required
@require_http_methods(["GET", "POST"])
def corpus_parses(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Who has parsed the corpus, and how well; starting a parser."""
    corpus = access.corpus_or_404(request.user, slug, code)
    if request.POST.get("do") == "train":
        return redirect("job", slug, training.start(corpus, by=request.user).code)
    if request.method == "POST":
        job = parsers.start(
            corpus,
            request.POST.get("engine", ""),
            n=_number(request.POST.get("n", "1"), "n"),
            by=request.user,
        )
        return redirect("job", slug, job.code)
    page = corpora.parsed(corpus, accuracy.engines_of(corpus), by=request.user)
    page["default"] = request.GET.get("parser") or registry.DEFAULT
    return render(request, "parses/corpus.html", page)


@login_required
@require_GET
def corpus_sentences(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The sentences of a corpus, whatever it came as: their trees and scores."""
    corpus = access.corpus_or_404(request.user, slug, code)
    refuse_unknown(request.GET, {"engine", "words", "after"})
    engines = accuracy.engines_of(corpus)
    words, after = (request.GET.get(name, "") for name in ("words", "after"))
    engine = _chosen(engines, request)
    shown = parses.sentences(corpus, engine, after, words) | {"engines": engines}
    if not after and not words:
        shown["domains"] = domains.report(engine, engines)
    return render(request, "parses/sentences.html", shown)


def _chosen(engines: list[CorpusEngine], request: HttpRequest) -> CorpusEngine | None:
    wanted = request.GET.get("engine", "")
    if wanted and wanted not in [engine.key for engine in engines]:
        raise BadRequest(_("This engine has parsed nothing here."), field="engine")
    return next((e for e in engines if wanted in ("", e.key)), None)


@login_required
@require_http_methods(["GET", "POST"])
def with_substitution(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Linking corpora, counting one, and parsing the corpus with one."""
    corpus = access.corpus_or_404(request.user, slug, code)
    error, status = "", 200
    if request.method == "POST":
        start = _count if request.POST.get("do") == "count" else _helped
        try:
            return redirect("job", slug, start(request, corpus).code)
        except BadRequest as refusal:
            error, status = str(refusal), refusal.status
    page = corpora.linked(corpus, by=request.user)
    page |= {"error": error, "sent": request.POST}
    return render(request, "parses/substitution.html", page, status=status)


def _count(request: HttpRequest, corpus: Corpus) -> Job:
    """Raises NotAllowed before a file is kept; BadRequest and others as ``start``."""
    project = corpus.project
    access.require(request.user, "manage", project)
    sent, file = request.POST, request.FILES.get("text")
    uploads = []
    if file is not None:
        name = file.name or "text"
        content = cast(BinaryIO, file)
        uploads.append(storing.keep(project, name, content, by=request.user))
    return linking.start(
        project,
        sent.get("name", ""),
        corpora=list(project.corpora.filter(code__in=sent.getlist("corpora"))),
        uploads=uploads,
        licence=sent.get("licence", ""),
        by=request.user,
    )


def _helped(request: HttpRequest, corpus: Corpus) -> Job:
    sent = request.POST
    return substitution.start(
        corpus,
        sent.get("parser", ""),
        sent.get("linking", ""),
        method=sent.get("method", "tell"),
        n=_number(sent.get("n", "1"), "n"),
        by=request.user,
    )


@login_required
@require_GET
def sentence(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One sentence: an engine's trees, how sure it is, gold or another beside it."""
    project = access.project_or_404(request.user, slug)
    rows = Sentence.objects.filter(corpus__project=project).select_related("corpus")
    sentence = get_object_or_404(rows, code=code)
    sentence.corpus.project = project
    engines = accuracy.engines_of(sentence.corpus)
    chosen = _chosen(engines, request), request.GET.get("beside", "")
    rank = _number(request.GET.get("rank", "1"), "rank")
    shown = parses.sentence(sentence, engines, *chosen, rank, by=request.user)
    shown["query"] = _query(request, "engine", "beside")
    return render(request, "parses/sentence.html", shown)


@login_required
@require_GET
def try_out(request: HttpRequest) -> HttpResponse:
    """A sentence somebody types, parsed at once; nothing is stored."""
    text = request.GET.get("text", "")
    engine = request.GET.get("engine", registry.DEFAULT)
    context: dict[str, Any] = {
        "text": text,
        "engine": engine,
        "parsers": offered.of_person(request.user),
        "example": EXAMPLE,
        "query": urlencode({"text": text, "engine": engine}),
    }
    if text:
        rank = _number(request.GET.get("rank", "1"), "rank")
        try:
            backend = offered.load_for(request.user, engine)
            context |= parses.tried(parsers.try_out(text, backend), rank)
            context["unreadable"] = parsers.unreadable(text, backend.info)
        except (GemelError, Refusal) as error:
            context["error"] = str(error)
    status = 400 if "error" in context else 200
    return render(request, "parses/try.html", context, status=status)


def _query(request: HttpRequest, *names: str) -> str:
    """What was asked, for links that keep it."""
    return urlencode({name: request.GET[name] for name in names if name in request.GET})


def _number(text: str, field: str) -> int:
    problem = _("A number from 1 to 999 is needed.")
    return number(text, 1, 999, field=field, problem=problem)
