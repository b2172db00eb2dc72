"""Parses: those of a corpus, of a sentence, and of a sentence someone types."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import BadRequest
from annotator.forms import number, refuse_unknown
from annotator.http.answers import form_page
from annotator.models import Corpus, Job, Sentence
from annotator.pages import corpora, domains, parses
from annotator.services.corpora import storing
from annotator.services.parses import (
    accuracy,
    linking_corpora,
    parsers,
    substitution,
    training,
)
from annotator.services.parses.accuracy import CorpusEngine
from core.parsing import registry


@require_http_methods(["GET", "POST"])
def corpus_parses(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The parsers that parsed the corpus, and their scores; starting a parser."""
    corpus = access.corpus_or_404(request.user, slug, code)
    if request.method == "POST":
        return redirect("job", slug, _parse(request, corpus).code)
    page = corpora.parsed(corpus, accuracy.engines_of(corpus), by=request.user)
    page["default"] = request.GET.get("parser") or page["default"]
    return render(request, "parses/corpus.html", page)


def _parse(request: HttpRequest, corpus: Corpus) -> Job:
    sent = request.POST
    if sent.get("do") == "train":
        return training.start(corpus, by=request.user)
    n = _number(sent.get("n", "1"), "n")
    return parsers.start(corpus, sent.get("engine", ""), n=n, by=request.user)


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
        raise BadRequest(_("This engine has not parsed anything here."), field="engine")
    return next((e for e in engines if wanted in ("", e.key)), None)


@require_http_methods(["GET", "POST"])
def with_substitution(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Linking corpora, counting one, and parsing the corpus with one."""
    corpus = access.corpus_or_404(request.user, slug, code)
    start = _count if request.POST.get("do") == "count" else _helped
    return form_page(
        request,
        "parses/substitution.html",
        lambda: corpora.linked(corpus, by=request.user),
        lambda: redirect("job", slug, start(request, corpus).code),
        catch=BadRequest,
    )


def _count(request: HttpRequest, corpus: Corpus) -> Job:
    """Raises NotAllowed before a file is kept; BadRequest and others as ``start``."""
    project, sent, by = corpus.project, request.POST, request.user
    access.require(by, "manage", project)
    uploads = storing.keep_all(project, request.FILES.getlist("text")[-1:], by=by)
    name, licence = sent.get("name", ""), sent.get("licence", "")
    chosen = list(project.corpora.filter(code__in=sent.getlist("corpora")))
    return linking_corpora.start(
        project,
        name,
        corpora=chosen,
        uploads=uploads,
        licence=licence,
        page=corpus,
        by=by,
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


@require_GET
def sentence(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One sentence: an engine's trees, how sure it is, gold or another next to it."""
    project = access.project_or_404(request.user, slug)
    rows = Sentence.objects.filter(corpus__project=project).select_related("corpus")
    sentence = get_object_or_404(rows, code=code)
    sentence.corpus.project = project
    engines = accuracy.engines_of(sentence.corpus)
    chosen = _chosen(engines, request), request.GET.get("compare", "")
    rank = _number(request.GET.get("rank", "1"), "rank")
    shown = parses.sentence(sentence, engines, *chosen, rank, by=request.user)
    shown["query"] = _query(request, "engine", "compare")
    return render(request, "parses/sentence.html", shown)


@require_GET
def try_out(request: HttpRequest) -> HttpResponse:
    """A sentence someone types, parsed at once; nothing is stored."""
    text = request.GET.get("text", "")
    engine = request.GET.get("engine", registry.DEFAULT)
    rank = _number(request.GET.get("rank", "1"), "rank") if text else 1
    page = domains.try_out(text, engine, rank, by=request.user)
    status = 400 if "error" in page else 200
    return render(request, "parses/try.html", page, status=status)


def _query(request: HttpRequest, *names: str) -> str:
    """What was asked, for links that keep it."""
    return urlencode({name: request.GET[name] for name in names if name in request.GET})


def _number(text: str, field: str) -> int:
    problem = _("Enter a number from 1 to 999.")
    return number(text, 1, 999, field=field, problem=problem)
