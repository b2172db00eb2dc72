"""A project's own parsers, trained on the gold trees of one of its corpora, as a job.

See ``offered`` for who may use it.
"""

from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import ngettext

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Corpus, Job, Origin, Parse, Project, Sentence
from annotator.models.projects import Anybody
from annotator.numbers import local
from annotator.services import jobs
from annotator.services.parses import offered, parsers
from core.agreement.paired import f1_gain
from core.agreement.trees.parseval import Parseval
from core.data.check import Floats
from core.data.tree import Tree
from core.formats import ptb
from core.parsing import registry
from core.parsing.pcfg.training import (
    MIN_TREES,
    Examples,
    FoldScores,
    cross_validated,
    examples_of,
    held_back,
    n_scored,
    scored,
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


def corpora_with_gold(project: Project) -> list[tuple[Corpus, int]]:
    """The project's corpora that have gold trees, by name, and how many."""
    gold = Q(
        sentences__parses__origin=Origin.GOLD,
        sentences__parses__kind=Parse.Kind.CONSTITUENCY,
    )
    rows = project.corpora.filter(archived_at=None)
    counted = rows.annotate(n=Count("sentences__parses", filter=gold)).filter(n__gt=0)
    return [(row, row.n) for row in counted.order_by("name")]


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
    scores = {"folds": FOLDS, **totals.to_json()}
    yield Step(note="Comparing with the parser that runs now")
    compared = _compared(corpus, examples, totals)
    yield Step(note="Training on all trees")
    name = _write(corpus, examples, {"cross_validated": scores, "compared": compared})
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
        "compared": compared,
    }


def _compared(
    corpus: Corpus, examples: Examples, totals: FoldScores
) -> dict[str, Any] | None:
    """F1 of the parser that the project has adopted, or of everyone's, over the same
    held-out sentences, less those that it was trained on; and what the new one gains.

    ``gain``, ``low``, ``high``: points of F1, 95 % interval; absent where that parser
    has seen all of them. None where it does not read the language.
    """
    name = offered.default_of(corpus.project)
    parser = offered.load(name, corpus.project)
    if not parsers.reads(parser.info, corpus.source_language):
        return None
    learnt = offered.trained_on(corpus.project, name)
    held = held_back(examples, folds=FOLDS, at_most=SCORED)
    new = [
        k
        for k, sample in enumerate(held)
        if Sentence.key_of(" ".join(leaf.word for leaf in sample.leaves()))
        not in learnt
    ]
    if not new:
        return {"parser": name, "sentences": 0}
    before = scored(parser, [held[k] for k in new])
    counts = [_counts(before.each), _counts([totals.each[k] for k in new])]
    gain = f1_gain(counts[0], counts[1], np.random.default_rng(0))
    points = dict(
        zip(("gain", "low", "high"), (round(100 * x, 2) for x in gain), strict=True)
    )
    f1 = round(100 * before.brackets.f1, 2)
    return {"parser": name, "sentences": len(new), "f1": f1, **points}


def _counts(rows: Sequence[Parseval]) -> Floats:
    return np.array([(one.matched, one.guessed + one.gold) for one in rows], float)


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
        "scores": scores,
        "made_at": timezone.now().isoformat(),
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
        if (tree := parse.readable_tree()) is not None:
            yield [ptb.unescape(word) for word in tree.words], tree
