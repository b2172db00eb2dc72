"""Parsing a corpus with lexical substitution, as a job, next to the parser alone."""

from collections.abc import Generator
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import Corpus, Job
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.parses import linking_corpora, offered, parsers
from core.parsing import registry
from core.protocols import ParserBackend, Step, TagGuided, TrainingCounts
from core.substitution import folder as folders
from core.substitution.options import Method, Options

KIND = "substitution"
METHODS: dict[str, str | Promise] = {
    "tell": gettext_lazy("tell the parser the likely tags of words in doubt"),
    "doubt": gettext_lazy("replace words in doubt"),
    "replace": gettext_lazy("replace every rare word (as the paper does)"),
}


def start(
    corpus: Corpus,
    parser: str,
    linked: str,
    *,
    method: str = "tell",
    n: int,
    by: Anybody,
    enqueue: bool = True,
) -> Job:
    """A job that parses with ``parser``, then with it helped by the words of a linking
    corpus of the project.

    The helped parser is from then on a parser of the project like any other. Raises
    NotAllowed, BadRequest, and Conflict while the same is at work on this corpus.
    """
    access.require(by, "run", corpus.project)
    if method not in get_args(Method):
        problem = _("Methods: %(known)s.") % {"known": ", ".join(METHODS)}
        raise BadRequest(problem, field="method")
    parsers.check_n(n)
    _check(offered.chosen(corpus.project, parser, field="parser"), method)
    linking_corpora.load(corpus.project, linked)
    name = f"{parser[:28]}-{linked}-{method}"
    params = {"corpus": corpus.code, "engine": name, "n": n}
    params |= {"parser": parser, "linking": linked, "method": method}
    return jobs.start(
        corpus.project,
        KIND,
        title=f"Parse {corpus.name} with substitution: {parser}, {linked}",
        by=by,
        params=params,
        engine=name,
        enqueue=enqueue,
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Parse the remaining sentences, without substitution and with it; resumable.

    The result is that of the second; ``base`` is that of the first.
    """
    params, project = job.params, job.project
    corpus = Corpus.objects.get(project=project, code=params["corpus"])
    yield Step(total=2 * corpus.sentences.count())
    plain = offered.load(params["parser"], project)
    base = yield from parsers.parse(job, corpus, plain, params["n"])
    _make(job)
    helped = offered.load(params["engine"], project)
    result = yield from parsers.parse(job, corpus, helped, params["n"])
    return result | {"base": base}


def _check(backend: ParserBackend, method: str) -> None:
    """Raise BadRequest if substitution cannot help this parser so."""
    name = backend.info.name
    if not isinstance(backend, TrainingCounts):
        raise BadRequest(
            _(
                "%(parser)s does not list its training words. Choose a parser "
                "trained here."
            )
            % {"parser": name},
            field="parser",
        )
    if method == "tell" and not isinstance(backend, TagGuided):
        raise BadRequest(
            _("%(parser)s does not accept tags. Choose another method.")
            % {"parser": name},
            field="method",
        )


def _make(job: Job) -> None:
    """The helped parser's folder, if it is not there.

    Raises Conflict if another parser has its name.
    """
    params, project = job.params, job.project
    out = offered.folder_of(project) / params["engine"]
    counts = linking_corpora.load(project, params["linking"])
    options = Options(method=params["method"])
    parser = _path_of(params["parser"])
    if not out.exists():
        folders.write(out, parser, counts, options)
        return
    facts = registry.facts_of(out)
    same = (facts.get("parser"), facts.get("version"), facts.get("options"))
    if same != (parser, counts.digest[:8] or "empty", asdict(options)):
        raise Conflict(f"There is already a parser {out.name}. Choose another name.")


def _path_of(parser: str) -> str:
    """As a folder of the project names it: its neighbours by name, others by path."""
    shared: Path = settings.MODELS_DIR / parser
    return str(shared.resolve()) if shared.is_dir() else parser
