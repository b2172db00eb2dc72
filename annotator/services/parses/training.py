"""A project's own parsers, trained on the gold trees of one of its corpora, as a job.

See ``offered`` for who may use it.
"""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.text import slugify
from django.utils.translation import ngettext

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Corpus, Job, Origin, Parse, Sentence
from annotator.models.projects import Anybody
from annotator.numbers import local
from annotator.services import jobs
from annotator.services.parses import offered
from core.data.tree import Tree
from core.errors import GemelError
from core.formats import ptb
from core.parsing import registry
from core.parsing.pcfg.training import (
    MIN_TREES,
    Examples,
    FoldScores,
    cross_validated,
    examples_of,
    n_scored,
    write,
)
from core.protocols import Step

KIND = "train_parser"
MAX_TREES = 60_000
FOLDS = 5
SCORED = 1_000  # held-out sentences at most: a minute
CHUNK = 1_000


def n_gold(corpus: Corpus) -> int:
    """The number of gold constituency trees to train on."""
    return _golds(corpus).count()


def start(corpus: Corpus, *, by: Anybody, enqueue: bool = True) -> Job:
    """A job that trains a parser on the corpus's gold trees.

    Raises NotAllowed (managers may), BadRequest on fewer than 20 trees or more than
    60,000, Conflict while one is being trained on this corpus.
    """
    access.require(by, "manage", corpus.project)
    n = n_gold(corpus)
    if not MIN_TREES <= n <= MAX_TREES:
        reason = ngettext(
            "%(n)s gold tree here; training needs %(least)s to %(most)s.",
            "%(n)s gold trees here; training needs %(least)s to %(most)s.",
            n,
        )
        facts = {"n": n, "least": MIN_TREES, "most": local(f"{MAX_TREES:,}")}
        raise BadRequest(reason % facts)
    return jobs.start(
        corpus.project,
        KIND,
        title=f"Train a parser on {corpus.name}",
        by=by,
        params={"corpus": corpus.code},
        engine="pcfg",
        enqueue=enqueue,
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Cross-validate, train on all trees, put the model in its place.

    Cancelled, or run again: it begins again, and no half of a model is left.
    """
    corpus = Corpus.objects.get(project=job.project, code=job.params["corpus"])
    examples = examples_of(_trees(corpus))
    n = n_scored(examples, folds=FOLDS, at_most=SCORED)
    yield Step(total=n + 1, note=f"Cross-validation, {FOLDS} parts")
    totals = FoldScores()
    for done, so_far in cross_validated(examples, folds=FOLDS, at_most=SCORED):
        totals = so_far
        yield Step(done=done)
    scores = totals.to_json()
    yield Step(note="Training on all trees")
    name = _write(corpus, examples, scores)
    yield Step(done=1)
    quality = {
        "f1": scores["f1"],
        "tags": scores["tags"],
        "scored": scores["sentences"],
    }
    return {
        "parser": name,
        "trees": len(examples.samples),
        "left_out": examples.left_out,
        "made_continuous": examples.raised,
        "cross_validated": quality,
    }


def _write(corpus: Corpus, examples: Examples, scores: dict[str, Any]) -> str:
    """The model's name; it appears whole, by renaming."""
    folder = offered.folder_of(corpus.project)
    folder.mkdir(parents=True, exist_ok=True)
    name = _free_name(corpus, folder)
    facts = {
        "name": name,
        "version": "1",
        "languages": [corpus.source_language or "und"],
        "licence": corpus.licence,
        "note": f"trained on {corpus.name}",
        "scores": {"cross_validated": {"folds": FOLDS, **scores}},
    }
    with offered.appearing(folder / name) as making:
        write(making, examples, facts)
        keys = {Sentence.key_of(" ".join(words)) for words, _ in _trees(corpus)}
        text = "".join(f"{key}\n" for key in sorted(keys))
        (making / offered.TRAINED_ON).write_text(text, encoding="utf-8")
    return name


def _free_name(corpus: Corpus, folder: Path) -> str:
    """Such as houses-1: never that of a parser there is, which workers may hold."""
    stem = slugify(corpus.name)[:40] or "corpus"
    taken = {*registry.names(settings.MODELS_DIR), *registry.names(folder)}
    k = 1
    while f"{stem}-{k}" in taken:
        k += 1
    return f"{stem}-{k}"


def _golds(corpus: Corpus) -> Any:
    return Parse.objects.filter(
        sentence__corpus=corpus,
        origin=Origin.GOLD,
        kind=Parse.Kind.CONSTITUENCY,
    )


def _trees(corpus: Corpus) -> Iterator[tuple[list[str], Tree]]:
    """Words as people write them, and trees; what cannot be read is left out."""
    rows = _golds(corpus).order_by("pk")[:MAX_TREES]
    for parse in rows.iterator(chunk_size=CHUNK):
        try:
            tree = parse.to_tree()
        except GemelError:
            continue
        yield [ptb.unescape(word) for word in tree.words], tree
