"""Aligning the words of pairs, as a job: a layer of links without trees."""

from collections.abc import Generator, Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.query import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator import access
from annotator.errors import BadRequest
from annotator.models import AlignmentLayer, Corpus, Job, Origin, Pair
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.alignments import phrases
from annotator.services.parses import offered
from core.data.alignment import Alignment
from core.data.check import Floats
from core.protocols import Analysis, Capability, Step
from core.word_alignment.aligner import ENGINE, VERSION, TrainedWordAligner

KIND = "align_words"
MANY = "many to many"
"""The name of the layers in which a word may have several links."""
METHODS = {
    "phrases": gettext_lazy("Phrases, over trees"),
    "words": gettext_lazy("Words, one to one"),
    "words-many": gettext_lazy("Words, many to many"),
}
BATCH = 64
WANT: frozenset[Capability] = frozenset({"tags", "vectors"})


def start_by(corpus: Corpus, method: str, parser: str, *, by: Anybody) -> Job:
    """One of METHODS: phrases (see ``phrases.start``), or words as ``start`` says.

    Raises BadRequest on another method.
    """
    if method not in METHODS:
        reason = _("Methods: %(names)s.") % {"names": ", ".join(METHODS)}
        raise BadRequest(reason, field="method")
    if method == "phrases":
        return phrases.start(corpus, parser, by=by)
    return start(corpus, parser, many=method == "words-many", by=by)


def start(
    corpus: Corpus, parser: str, *, many: bool, by: Anybody, enqueue: bool = True
) -> Job:
    """A job that links the words of the pairs that have no such layer yet.

    ``parser`` gives word vectors and tags; "": forms and WordNet alone. One to one, or
    with ``many`` many to many, in a separate layer. Raises NotAllowed, BadRequest on an
    unknown parser, Conflict while the words of this corpus are being aligned.
    """
    access.require(by, "run", corpus.project)
    if parser:
        offered.require(corpus.project, parser, field="parser")
    return jobs.start(
        corpus.project,
        KIND,
        title=f"Align words of {corpus.name}, {MANY if many else 'one to one'}",
        by=by,
        params={"corpus": corpus.code, "parser": parser, "many": many},
        engine=ENGINE,
        enqueue=enqueue,
    )


def n_aligned(corpus: Corpus) -> int:
    """The number of its pairs with a layer of word links by this engine."""
    mine = AlignmentLayer.objects.filter(engine=ENGINE, version=VERSION)
    of_pair = mine.filter(pair=OuterRef("pk"), origin=Origin.ENGINE)
    return corpus.pairs.filter(Exists(of_pair)).count()


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Align the remaining pairs, a batch at a time; resumable.

    A sentence that the parser cannot take is aligned without it, and counted.
    """
    corpus = Corpus.objects.get(project=job.project, code=job.params["corpus"])
    many = bool(job.params["many"])
    aligner = TrainedWordAligner.load().with_settings(many=many)
    name = MANY if many else ""
    left = _lacking(corpus, name)
    total = corpus.pairs.count()
    yield Step(total=total, done=total - left.count(), note=f"{ENGINE} {VERSION}")
    n_plain = 0

    def work(batch: list[Pair]) -> int:
        nonlocal n_plain
        rows = []
        for pair, sides in zip(batch, _analyses(batch, job, aligner), strict=True):
            n_plain += any(side.vectors is None for side in sides)
            probs = aligner.probabilities(*sides)
            rows.append(_layer(pair, probs, aligner, name, job.params["parser"]))
        _store(rows)
        return len(rows)

    done, _failed = yield from jobs.by_batches(left, BATCH, work)
    result = {"engine": ENGINE, "version": VERSION, "aligned": done}
    return result | {"without_vectors": n_plain}


def _analyses(
    batch: Sequence[Pair], job: Job, aligner: TrainedWordAligner
) -> list[tuple[Analysis, Analysis]]:
    """What the parser says of both sides; the bare words where it says nothing."""
    sentences = [
        side.to_core() for pair in batch for side in (pair.source, pair.target)
    ]
    bare = [Analysis(sentence) for sentence in sentences]
    answers: Sequence[Analysis | Exception] = bare
    if parser := job.params["parser"]:
        backend = offered.load(parser, job.project)
        want = WANT if aligner.knows(backend.info) else WANT - {"vectors"}
        answers = backend.analyse(sentences, want=want & backend.info.capabilities)
    analyses = [
        answer if isinstance(answer, Analysis) else plain
        for answer, plain in zip(answers, bare, strict=True)
    ]
    return list(zip(analyses[::2], analyses[1::2], strict=True))


def _layer(
    pair: Pair, probs: Floats, aligner: TrainedWordAligner, name: str, parser: str
) -> AlignmentLayer:
    alignment = Alignment(aligner.links(probs))
    slot = AlignmentLayer.slot_of(
        Origin.ENGINE, engine=ENGINE, version=VERSION, name=name
    )
    return AlignmentLayer(
        pair=pair,
        slot=slot,
        origin=Origin.ENGINE,
        engine=ENGINE,
        version=VERSION,
        name=name,
        options={"parser": parser} | asdict(aligner.settings),
        links=alignment.to_json(),
        n_links=len(alignment.links),
        doubt=round(aligner.expected_errors(probs), 4),
    )


@transaction.atomic
def _store(layers: Sequence[AlignmentLayer]) -> None:
    """Add the layers of a batch; one that is there already stays."""
    AlignmentLayer.objects.bulk_create(layers, ignore_conflicts=True)
    pairs = [layer.pair_id for layer in layers]
    none = Pair.objects.filter(pk__in=pairs, state=Pair.State.NONE)
    none.update(state=Pair.State.PROPOSED)


def _lacking(corpus: Corpus, name: str) -> QuerySet[Pair]:
    mine = AlignmentLayer.objects.filter(
        pair=OuterRef("pk"),
        origin=Origin.ENGINE,
        engine=ENGINE,
        version=VERSION,
        name=name,
    )
    rows = Pair.objects.filter(~Exists(mine), corpus=corpus)
    return rows.select_related("source", "target")
