"""Parses: those of a corpus, of a sentence, and of a sentence somebody types."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.models import Corpus, Sentence
from annotator.services import parse_scores, parse_view, parsing
from annotator.services.parse_scores import Engine, Sides
from annotator.services.parse_view import Other
from core.backends import registry
from core.errors import GemelError
from core.inference.kbest import trees_of
from core.protocols import Analysis

__all__ = ["corpus_parses", "sentence", "try_out"]

PAGE = 25
N_TRIED = 10
EXAMPLE = "The nurse who opened the window saw a man with a telescope."


@login_required
@require_http_methods(["GET", "POST"])
def corpus_parses(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Who has parsed the corpus, how well, sentence by sentence; starting a parser."""
    project = access.project_or_404(request.user, slug)
    found = get_object_or_404(project.corpora, code=code)
    found.project = project
    if request.method == "POST":
        job = parsing.start(
            found,
            request.POST.get("engine", ""),
            n=_number(request.POST.get("n", "1"), "n"),
            by=request.user,
        )
        return redirect("job", slug, job.code)
    engines = parse_scores.engines_of(found)
    context = {
        "project": project,
        "corpus": found,
        "engines": engines,
        "parsers": parsing.engines(),
        "default": registry.DEFAULT,
        "may_run": access.may(request.user, "run", project),
        "columns": ("uas", "las", "xpos", "precision", "recall", "f1", "exact"),
    } | _sentences(found, _chosen(engines, request), request.GET.get("after", ""))
    return render(request, "parses/corpus.html", context)


def _sentences(corpus: Corpus, engine: Engine | None, after: str) -> dict[str, Any]:
    """A page of sentences with gold trees, each with the engine's scores."""
    if engine is None:
        return {}
    page = parse_scores.by_sentence(
        corpus, engine.name, engine.version, after=after, size=PAGE + 1
    )
    rows = [{"sentence": s.sentence} | _percent(s) for s in page[:PAGE]]
    more = page[PAGE - 1].sentence.code if len(page) > PAGE else ""
    return {"engine": engine, "rows": rows, "after": after, "more": more}


def _percent(sides: Sides) -> dict[str, float | None]:
    """Scores of one sentence, None where gold or the parser is silent."""
    return {
        "f1": 100 * sides.brackets.f1 if sides.brackets and sides.tree else None,
        "uas": 100 * sides.arcs.uas if sides.arcs and sides.deps else None,
        "las": 100 * sides.arcs.las if sides.arcs and sides.deps else None,
    }


def _chosen(engines: list[Engine], request: HttpRequest) -> Engine | None:
    wanted = request.GET.get("engine", "")
    if wanted and wanted not in [engine.key for engine in engines]:
        raise BadRequest("This engine has parsed nothing here.", field="engine")
    return next((e for e in engines if wanted in ("", e.key)), None)


@login_required
@require_GET
def sentence(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One sentence: an engine's trees, how sure it is, and gold beside it."""
    project = access.project_or_404(request.user, slug)
    rows = Sentence.objects.filter(corpus__project=project).select_related("corpus")
    found = get_object_or_404(rows, code=code)
    found.corpus.project = project
    engines = parse_scores.engines_of(found.corpus)
    engine = _chosen(engines, request)
    context: dict[str, Any] = {
        "project": project,
        "sentence": found,
        "corpus": found.corpus,
        "engines": engines,
        "engine": engine,
        "query": urlencode({"engine": engine.key}) if engine else "",
    }
    rank = _number(request.GET.get("rank", "1"), "rank")
    context |= _drawings(found, engine, rank)
    return render(request, "parses/sentence.html", context)


def _drawings(found: Sentence, engine: Engine | None, rank: int) -> dict[str, Any]:
    name, version = (engine.name, engine.version) if engine else ("", "")
    choices = parse_view.choices(found, name, version)
    if rank != 1 and rank not in [choice.rank for choice in choices]:
        raise Http404("No tree of this rank is stored.")
    sides = parse_view.sides_of(found, name, version, rank)
    drawn: dict[str, Any] = {"choices": choices, "rank": rank, "sides": sides}
    drawn |= _percent(sides)
    words, gold_tags = found.forms, sides.gold_tree.tags if sides.gold_tree else ()
    if sides.tree or sides.deps:
        drawn["parser"] = parse_view.shown(
            words,
            sides.tree,
            sides.deps,
            title=f"Tree {rank} of {name} over: {found.text}",
            forest=parse_view.stored_forest(found, name, version),
            other=Other(sides.gold_tree, sides.gold_deps, gold_tags),
        )
    if sides.gold_tree or sides.gold_deps:
        drawn["gold"] = parse_view.shown(
            words,
            sides.gold_tree,
            sides.gold_deps,
            title=f"Gold tree over: {found.text}",
            other=Other(sides.tree, sides.deps, gold_tags),
        )
    return drawn


@login_required
@require_GET
def try_out(request: HttpRequest) -> HttpResponse:
    """A sentence somebody types, parsed at once; nothing is stored."""
    text = request.GET.get("text", "")
    engine = request.GET.get("engine", registry.DEFAULT)
    context: dict[str, Any] = {
        "text": text,
        "engine": engine,
        "parsers": parsing.engines(),
        "example": EXAMPLE,
        "query": urlencode({"text": text, "engine": engine}),
    }
    if text:
        rank = _number(request.GET.get("rank", "1"), "rank")
        try:
            context |= _tried(parsing.try_out(text, engine), rank)
        except (GemelError, Refusal) as error:
            context["error"] = str(error)
    status = 400 if "error" in context else 200
    return render(request, "parses/try.html", context, status=status)


def _tried(analysis: Analysis, rank: int) -> dict[str, Any]:
    words, forest = analysis.sentence.forms, parse_view.of_analysis(analysis)
    tags = analysis.xpos or ("X",) * len(words)
    ranked = trees_of(analysis, N_TRIED)
    tree = ranked[min(rank, len(ranked)) - 1][1] if ranked else None
    deps = analysis.deps.tree if analysis.deps else None
    return {
        "choices": parse_view.ranked_choices([score for score, _ in ranked]),
        "rank": rank,
        "tokens": zip(words, analysis.upos or ("",) * len(words), tags, strict=True),
        "parser": parse_view.shown(
            words,
            tree,
            deps,
            title="Parse of: " + " ".join(words),
            forest=forest,
        )
        if tree or deps
        else None,
    }


def _number(text: str, field: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= len(text) <= 3 and int(text)):
        raise BadRequest("A number from 1 to 999 is needed.", field=field)
    return int(text)
