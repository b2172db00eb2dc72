"""Aligning the phrases of pairs, as a job; which of them are least certain."""

import base64
import zlib
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.db.models.query import QuerySet

from annotator import access
from annotator.models import (
    AlignmentLayer,
    Corpus,
    Job,
    Origin,
    Pair,
    Parse,
    Sentence,
)
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.parses import offered, parsers
from annotator.services.parses.gold import gold_of
from annotator.services.parses.parsers import ParsedText
from core.data.alignment import Alignment
from core.data.check import Floats
from core.data.tree import Tree
from core.errors import GemelError
from core.formats import treetext
from core.phrase_alignment.aligner import ENGINE, VERSION, PhraseAligner, side_of
from core.phrase_alignment.forest_align import alignment_of
from core.phrase_alignment.sides import side_of_tree
from core.protocols import Analysis, BackendInfo, Capability, Step

BATCH = 16
UNPACKED = 10
TREES = 10  # of a sentence without gold, kept as parsing keeps them
WANT: frozenset[Capability] = parsers.WANT | {"vectors"}
Vectors = tuple[Floats, Floats] | None


def start(corpus: Corpus, parser: str, *, by: Anybody, enqueue: bool = True) -> Job:
    """A job that aligns the pairs that the aligner has not aligned yet.

    Gold trees are used where a sentence has one, else the forest of ``parser``.
    Raises NotAllowed, BadRequest on an unknown parser, Conflict while one is at work.
    """
    access.require(by, "run", corpus.project)
    offered.require(corpus.project, parser, field="parser")
    return jobs.start(
        corpus.project,
        "align",
        title=f"Align phrases of {corpus.name}",
        by=by,
        params={"corpus": corpus.code, "parser": parser},
        engine=ENGINE,
        enqueue=enqueue,
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Align the remaining pairs, a batch at a time; resumable."""
    corpus = Corpus.objects.get(project=job.project, code=job.params["corpus"])
    aligner = PhraseAligner.load()
    backend = offered.load(job.params["parser"], job.project)
    left = _lacking(corpus)
    total = corpus.pairs.count()
    yield Step(total=total, done=total - left.count(), note=f"{ENGINE} {VERSION}")

    def work(batch: list[Pair]) -> int:
        sentences = [side.to_core() for p in batch for side in (p.source, p.target)]
        answers = backend.analyse(sentences, want=WANT & backend.info.capabilities)
        made = []
        for at, pair in enumerate(batch):
            try:
                both = answers[2 * at : 2 * at + 2]
                made.append(_align(aligner, pair, both, backend.info))
            except GemelError as error:
                jobs.report_issue(
                    job,
                    f"{pair.ref or pair.code}: {error}",
                    remedy="give both sentences a tree, or split them",
                    excerpt=pair.source_text,
                )
        _store(made, job, backend.info)
        return len(made)

    done, failed = yield from jobs.by_batches(left, BATCH, work)
    return {"engine": ENGINE, "version": VERSION, "aligned": done, "failed": failed}


@dataclass(frozen=True, slots=True)
class _Made:
    """A pair aligned: links over two trees, which may have to be stored first."""

    pair: Pair
    alignment: Alignment
    trees: tuple[Tree, Tree]
    parses: tuple[Parse | None, Parse | None]  # the gold ones
    parsed: tuple[ParsedText, ...]  # what the parser said, where no tree is gold
    expected_errors: float
    meta: dict[str, Any]


def _align(
    aligner: PhraseAligner,
    pair: Pair,
    answers: Sequence[Analysis | Exception],
    info: BackendInfo,
) -> _Made:
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    analyses = [answer for answer in answers if isinstance(answer, Analysis)]
    golds = gold_of(pair.source), gold_of(pair.target)
    trees = tuple(gold.to_tree() if gold else None for gold in golds)
    sides = [side_of(a, tree) for a, tree in zip(analyses, trees, strict=True)]
    vectors = _vectors(analyses)
    aligned = aligner.align(sides[0], sides[1], vectors, k=UNPACKED)
    alignment, source, target = alignment_of(aligned, (trees[0], trees[1]))
    fresh = side_of_tree(source), side_of_tree(target)
    gains = aligner.gains(*fresh, vectors)
    parsed = tuple(
        _parsed(sentence, one, info)
        for sentence, one, gold in zip(
            (pair.source, pair.target), analyses, golds, strict=True
        )
        if gold is None
    )
    wrong, meta = aligned.expected_errors, {"gains": pack(gains)}
    return _Made(pair, alignment, (source, target), golds, parsed, wrong, meta)


def _parsed(sentence: Sentence, said: Analysis, info: BackendInfo) -> ParsedText:
    """Return what parsing would store; in a language that the parser does not read,
    only the forest that the alignment was chosen from."""
    parsed = parsers.parsed_text(sentence, said, info, TREES)
    if parsers.reads(info, sentence.language):
        return parsed
    return replace(parsed, trees=[], deps=None)


def _vectors(analyses: Sequence[Analysis]) -> Vectors:
    source, target = (one.vectors for one in analyses)
    return None if source is None or target is None else (source, target)


@transaction.atomic
def _store(made: Sequence[_Made], job: Job, info: BackendInfo) -> None:
    """Add the layers of a batch, what the parser said and the trees they chose; the
    pairs are parsed from then on."""
    options = {"parser": job.params["parser"]}
    options |= asdict(PhraseAligner.load().settings)
    parsers.store(info, [said for one in made for said in one.parsed], TREES)
    pairs = [one.pair.pk for one in made]
    Pair.objects.filter(pk__in=pairs, has_parse=False).update(has_parse=True)
    for one in made:
        sentences = one.pair.source, one.pair.target
        parses = [
            gold or store_tree(sentence, tree)
            for gold, sentence, tree in zip(
                one.parses, sentences, one.trees, strict=True
            )
        ]
        slot = AlignmentLayer.slot_of(Origin.ENGINE, engine=ENGINE, version=VERSION)
        AlignmentLayer.objects.get_or_create(
            pair=one.pair,
            slot=slot,
            defaults={
                "origin": Origin.ENGINE,
                "engine": ENGINE,
                "version": VERSION,
                "options": options,
                "source_parse": parses[0],
                "target_parse": parses[1],
                "links": one.alignment.to_json(),
                "n_links": len(one.alignment.links),
                "doubt": one.expected_errors,
                "meta": one.meta,
            },
        )
        none = Pair.objects.filter(pk=one.pair.pk, state=Pair.State.NONE)
        none.update(state=Pair.State.PROPOSED)


def store_tree(sentence: Sentence, tree: Tree) -> Parse:
    """The stored parse that is this tree, else a new one of the aligner's."""
    text, notes = treetext.dump(tree)
    there = sentence.parses.filter(kind=Parse.Kind.CONSTITUENCY, text=text).first()
    if there is not None:
        return there
    return Parse.objects.create(
        sentence=sentence,
        kind=Parse.Kind.CONSTITUENCY,
        origin=Origin.ENGINE,
        engine=ENGINE,
        version=VERSION,
        rank=sentence.parses.filter(engine=ENGINE, version=VERSION).count() + 1,
        text=text,
        digest=Sentence.key_of(*treetext.parts(text, notes)),
        meta=notes,
    )


def _lacking(corpus: Corpus) -> QuerySet[Pair]:
    mine = AlignmentLayer.objects.filter(
        pair=OuterRef("pk"), origin=Origin.ENGINE, engine=ENGINE, version=VERSION
    )
    rows = Pair.objects.filter(~Exists(mine), corpus=corpus)
    return rows.select_related("source", "target")


def uncertain(corpus: Corpus, *, state: str = "") -> QuerySet[AlignmentLayer]:
    """The aligner's layers, those with most wrong links and nulls to be expected first.

    ``state``: of the pairs, or "open" for all that are not done.
    """
    rows = AlignmentLayer.objects.filter(
        pair__corpus=corpus, engine=ENGINE, version=VERSION
    )
    if state == "open":
        rows = rows.exclude(pair__state=Pair.State.DONE)
    elif state:
        rows = rows.filter(pair__state=state)
    first = F("doubt").desc(nulls_last=True)
    rows = rows.select_related("pair__source", "pair__target")
    return rows.defer("meta").order_by(first, "pair_id")


def pack(gains: Floats) -> str:
    """As text, to about three digits: the input for decoding a corrected pair again."""
    small = np.clip(gains, -60, 60).astype(np.float16)
    return base64.b85encode(zlib.compress(small.tobytes(), 9)).decode()


def unpack(text: str, shape: tuple[int, int]) -> Floats | None:
    """Inverse of ``pack``; None if it is not what ``pack`` made for this shape, as in
    a bundle from elsewhere. Never unpacks more than the shape needs."""
    n_bytes = 2 * shape[0] * shape[1]
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b85decode(text), n_bytes + 1)
    except (ValueError, TypeError, zlib.error):
        return None
    if len(data) != n_bytes:
        return None
    gains = np.frombuffer(data, np.float16).reshape(shape).astype(np.float64)
    return gains if np.isfinite(gains).all() else None
