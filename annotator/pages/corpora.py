"""The pages of a corpus: in and out, its pairs, those the aligner is least sure of."""

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import QueryDict
from django.utils.translation import (
    get_language_info,
    gettext_lazy,
    ngettext,
    pgettext_lazy,
)
from django.utils.translation import gettext as _

from annotator import access
from annotator.exchange import registry as formats
from annotator.models import AlignmentLayer, Corpus, Job, Pair, Project
from annotator.models.corpora import PairQuerySet
from annotator.models.projects import Anybody
from annotator.numbers import local
from annotator.services import jobs
from annotator.services.alignments import finding, phrases, scores, words
from annotator.services.corpora import exports
from annotator.services.kept_counts import kept
from annotator.services.parses import (
    joint,
    linking_corpora,
    offered,
    substitution,
    training,
)
from annotator.services.parses.accuracy import CorpusEngine
from core.parsing import registry

PAGE = 50
COUNTS = {  # of an import
    "sentences": gettext_lazy("sentences"),
    "pairs": gettext_lazy("pairs"),
    "parses": gettext_lazy("parses"),
    "layers": gettext_lazy("layers"),
    "links": gettext_lazy("links"),
}
COUNTED = 1_000  # counting further would cost more than it tells
STATES = [
    ("open", pgettext_lazy("pairs", "Not done")),
    ("", gettext_lazy("All")),
    *Pair.State.choices,
]


def pairs(
    corpus: Corpus,
    fits: PairQuerySet,
    order: dict[str, Any],
    query: QueryDict,
    *,
    by: Anybody,
) -> dict[str, Any]:
    """The pairs that fit, in an order, from the one that ``query`` names ``after``."""
    after = query.get("after", "")
    listed, run = scores.with_scores(fits.for_list(), corpus, **order, after=after)
    rows = list(listed[: PAGE + 1])
    filtered = any(value for name, value in query.items() if name != "after")
    return {
        "project": corpus.project,
        "corpus": corpus,
        "pairs": rows[:PAGE],
        "counted": _counted(corpus, fits, filtered=filtered),
        "next_url": next_page(query, rows[PAGE - 1].code) if len(rows) > PAGE else "",
        "first_url": next_page(query, "") if after else "",
        "run": run,
        "runs": list(corpus.score_runs.filter(n_scored__gt=0)),
        "scorers": list(scores.scorers()),
        "may_run": access.may(by, "run", corpus.project),
    }


def _counted(corpus: Corpus, fits: PairQuerySet, *, filtered: bool) -> str:
    if not filtered:
        text = ngettext("%(n)s pair", "%(n)s pairs", corpus.n_pairs)
        return text % {"n": local(f"{corpus.n_pairs:,}")}
    n = fits.order_by()[: COUNTED + 1].count()
    if n > COUNTED:
        return _("more than %(n)s pairs fit") % {"n": local(f"{COUNTED:,}")}
    return ngettext("%(n)s pair matches", "%(n)s pairs match", n) % {
        "n": local(f"{n:,}")
    }


def next_page(query: QueryDict, after: str) -> str:
    """The same address, beginning behind the row ``after``; "" begins again."""
    query = query.copy()
    query.pop("after", None)
    if after:
        query["after"] = after
    return "?" + query.urlencode()


def first_to_link(corpus: Corpus) -> Pair | None:
    """The first pair that no one has finished; None where all are done."""
    return corpus.pairs.exclude(state=Pair.State.DONE).order_by("pk").first()


def uncertain(
    corpus: Corpus, state: str, number: int, *, by: Anybody
) -> dict[str, Any]:
    """Pairs by how many of the aligner's links are wrong, to be expected."""
    layers = phrases.uncertain(corpus, state=state)
    rows = list(layers[(number - 1) * PAGE : number * PAGE + 1])
    return {
        "project": corpus.project,
        "corpus": corpus,
        "rows": [_row(layer) for layer in rows[:PAGE]],
        "counted": layers.count(),
        "aligned": phrases.uncertain(corpus).count(),
        "aligned_words": words.n_aligned(corpus),
        "methods": words.METHODS.items(),
        "state": state,
        "states": STATES,
        "page": number,
        "more": number + 1 if len(rows) > PAGE else 0,
        "parsers": offered.of_project(corpus.project),
        "default": registry.DEFAULT,
        "may_run": access.may(by, "run", corpus.project),
    }


def _row(layer: AlignmentLayer) -> dict[str, Any]:
    """A pair, and the least sure of its links in percent."""
    sure = [float(link.attrs.get("prob", 1)) for link in layer.to_core().links]
    least = 100 * min(sure) if sure else None
    return {"pair": layer.pair, "layer": layer, "least": least}


def parsed(
    corpus: Corpus, engines: list[CorpusEngine], *, by: Anybody
) -> dict[str, Any]:
    """The parsers that parsed the corpus, their scores, and other parsers."""
    project = corpus.project
    return {
        "project": project,
        "corpus": corpus,
        "engines": engines,
        "parsers": offered.of_project(project),
        "default": _begun(corpus, engines),
        "may_run": access.may(by, "run", project),
        "may_train": access.may(by, "manage", project),
        "n_gold": kept(
            f"gold-{corpus.pk}", corpus.n_sentences, lambda: training.n_gold(corpus)
        ),
        "least": training.MIN_TREES,
    }


def _begun(corpus: Corpus, engines: list[CorpusEngine]) -> str:
    """The parser that *Parse the rest* means: of those that have parsed a part of the
    corpus the one with most of it, else the one that the project adopted."""
    known = offered.names_of(corpus.project)
    begun = [
        (one.n_sentences, one.name)
        for one in engines
        if one.name in known and one.n_sentences < corpus.n_sentences
    ]
    return max(begun)[1] if begun else offered.default_of(corpus.project)


def finds(corpus: Corpus, *, by: Anybody) -> dict[str, Any]:
    """The searches for paraphrases in a corpus, and corpora to compare it with."""
    name = _("Paraphrases found in %(name)s") % {"name": corpus.name}
    there = corpus.project.corpora.filter(archived_at=None)
    return {
        "project": corpus.project,
        "corpus": corpus,
        "finds": finding.finds_of(corpus),
        "others": there.exclude(pk=corpus.pk),
        "name": name[:120],
        "least": finding.LEAST,
        "sample": finding.SAMPLE,
        "most": finding.MOST_SAMPLED,
        "may_manage": access.may(by, "manage", corpus.project),
    }


def joint_runs(corpus: Corpus, *, by: Anybody) -> dict[str, Any]:
    """The joint parses of a corpus, and what could parse it."""
    return {
        "project": corpus.project,
        "corpus": corpus,
        "parsers": offered.of_project(corpus.project),
        "default": registry.DEFAULT,
        "runs": joint.runs_of(corpus),
        "has_sets": joint.has_sets(corpus),
        "may_run": access.may(by, "run", corpus.project),
    }


def linked(corpus: Corpus, *, by: Anybody) -> dict[str, Any]:
    """Linking corpora for parsing by substitution, and texts to count."""
    project = corpus.project
    return {
        "project": project,
        "corpus": corpus,
        "corpora": project.corpora.all(),
        "parsers": offered.of_project(project),
        "linkings": linking_corpora.of_project(project),
        "methods": substitution.METHODS.items(),
        "may_run": access.may(by, "run", project),
        "may_manage": access.may(by, "manage", project),
    }


def upload(project: Project) -> dict[str, Any]:
    """The content around the form of an upload."""
    worker = jobs.is_worker_alive()
    known = formats.FORMATS.values()
    return {"project": project, "formats": known, "worker": worker}


def upload_report(project: Project, job: Job, page: str | None) -> dict[str, Any]:
    """The result of a dry run or an import. ``counts``: name, number in the files,
    number new; ``good``: whether there is anything to import."""
    held, new = job.result, job.result.get("new", {})
    is_bundle = job.params["format"] == "gemel"  # it may hold a corpus and no sentence
    return {
        "project": project,
        "job": job,
        "format": formats.find(job.params["format"]),
        "counts": [
            (word, held[name], new.get(name))
            for name, word in COUNTS.items()
            if name in held
        ],
        "good": held.get("sentences") or (is_bundle and not held.get("issues")),
        "made": project.jobs.importing(job).first() if job.params["dry_run"] else None,
        "issues": Paginator(job.issues.all(), PAGE).get_page(page),
        "corpus": project.corpora.filter(name=job.params["corpus"]).first(),
        "is_dry": job.params["dry_run"],
        "rows": held.get("rows", []),
        "questions": _questions(job),
        "columns": list(enumerate(held.get("columns", []), 1)),
        "roles": _roles(job),
        "may_align": _may_align(job),
        "aligning": project.jobs.filter(code=job.result.get("align", "")).first(),
        "worker": jobs.is_worker_alive(),
    }


def _roles(job: Job) -> list[tuple[str, str, int]]:
    """What a column of a table of pairs can be: field, name, and the column it is."""
    chosen = job.params.get("columns") or {"source": 1, "target": 2}
    names = {
        "source": _("Source"),
        "target": _("Target"),
        "label": _("Label"),
        "id": _("Id"),
    }
    return [(name, word, chosen.get(name, 0)) for name, word in names.items()]


def _questions(job: Job) -> list[dict[str, str]]:
    """The sides whose text looks like another language than was said."""
    languages = job.result.get("languages", {}).items()
    return [
        {
            "field": f"{side}_language",
            "side": side,
            "said": _language(job.params["about"][f"{side}_language"]),
            "code": code,
            "likelier": _language(code),
        }
        for side, code in languages
    ]


def _language(code: str) -> str:
    """The name of a language with its code; the code alone where none is known."""
    try:
        return f"{get_language_info(code)['name_translated']} ({code})"
    except KeyError:
        return code


def _may_align(job: Job) -> bool:
    """Whether what was checked holds pairs that the usual parser reads, for all that
    one can tell."""
    info = registry.load(registry.DEFAULT).info
    about = job.params.get("about", {})
    named = [about.get(f"{side}_language", "") for side in ("source", "target")]
    speaks = all(one.split("-")[0] in info.languages for one in named)
    has_question = bool(job.result.get("languages"))
    return speaks and not has_question and bool(job.result.get("pairs"))


def export(corpus: Corpus, author: str) -> dict[str, Any]:
    """The formats a corpus can go out in, and whose layers may."""
    return {
        "project": corpus.project,
        "corpus": corpus,
        "authors": exports.authors(corpus),
        "author": author,
        "query": "?" + urlencode({"author": author}) if author else "",
        "formats": exports.offered(corpus),
        "came_as": {entry["format"] for entry in corpus.meta.get("files", [])},
    }
