"""Aligning the phrases of pairs, as a job; and again, under what a person decided."""

import base64
import zlib
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.query import QuerySet

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import AlignmentLayer, Corpus, Job, Origin, Pair, Parse, Sentence
from annotator.models.projects import Anybody
from annotator.services import jobs
from core.backends import registry
from core.data.alignment import Alignment, Link
from core.data.check import Floats
from core.data.tree import Tree
from core.errors import Contradiction, GemelError
from core.formats import treetext
from core.joint.constraints import Constraint, align_under
from core.joint.forest_align import Aligned, alignment_of
from core.joint.phrase_aligner import ENGINE, VERSION, PhraseAligner, side_of
from core.joint.sides import Side, collapsed, side_of_tree
from core.protocols import Analysis, Capability, Step

__all__ = ["propose", "run", "start", "uncertain"]

BATCH = 16
UNPACKED = 10
WANT: frozenset[Capability] = frozenset({"constituents", "tags", "forest", "vectors"})
Vectors = tuple[Floats, Floats] | None


def start(corpus: Corpus, parser: str, *, by: Anybody, enqueue: bool = True) -> Job:
    """A job that aligns the pairs that the aligner has not aligned yet.

    Gold trees are used where a sentence has one, else the forest of ``parser``.
    Raises NotAllowed, BadRequest on an unknown parser, Conflict while one is at work.
    """
    access.require(by, "run", corpus.project)
    names = registry.names(settings.MODELS_DIR)
    if parser not in names:
        raise BadRequest(f"Parsers: {', '.join(names)}.", field="parser")
    active = Job.objects.active().filter(project=corpus.project, kind="align")
    if any(job.params["corpus"] == corpus.code for job in active):
        raise Conflict("This corpus is being aligned already; wait for its end.")
    return jobs.create(
        corpus.project,
        "align",
        title=f"Align phrases of {corpus.name}",
        by=by,
        params={"corpus": corpus.code, "parser": parser},
        engine=ENGINE,
        enqueue=enqueue,
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Align what lacks it, a batch at a time; run again, it goes on."""
    corpus = Corpus.objects.get(project=job.project, code=job.params["corpus"])
    aligner = PhraseAligner.load()
    backend = registry.load(job.params["parser"], settings.MODELS_DIR)
    left = _lacking(corpus)
    total = corpus.pairs.count()
    yield Step(total=total, done=total - left.count(), note=f"{ENGINE} {VERSION}")
    last, n_done, n_failed = 0, 0, 0
    while batch := list(left.filter(pk__gt=last)[:BATCH]):
        last = batch[-1].pk
        sentences = [side.to_core() for p in batch for side in (p.source, p.target)]
        found = backend.analyse(sentences, want=WANT & backend.info.capabilities)
        made = []
        for at, pair in enumerate(batch):
            try:
                made.append(_align(aligner, pair, found[2 * at : 2 * at + 2]))
            except GemelError as error:
                jobs.report_issue(
                    job,
                    f"{pair.ref or pair.code}: {error}",
                    remedy="give both sentences a tree, or split them",
                    excerpt=pair.source_text,
                )
        _store(made, job)
        n_done, n_failed = n_done + len(made), n_failed + len(batch) - len(made)
        yield Step(done=len(made), failed=len(batch) - len(made))
    return {"engine": ENGINE, "version": VERSION, "aligned": n_done, "failed": n_failed}


@dataclass(frozen=True, slots=True)
class _Made:
    """A pair aligned: links over two trees, which may have to be stored first."""

    pair: Pair
    alignment: Alignment
    trees: tuple[Tree, Tree]
    parses: tuple[Parse | None, Parse | None]  # the gold ones
    meta: dict[str, Any]


def _align(
    aligner: PhraseAligner, pair: Pair, found: Sequence[Analysis | Exception]
) -> _Made:
    for answer in found:
        if isinstance(answer, Exception):
            raise answer
    analyses = [answer for answer in found if isinstance(answer, Analysis)]
    golds = _gold(pair.source), _gold(pair.target)
    trees = tuple(gold.to_tree() if gold else None for gold in golds)
    sides = [side_of(a, tree) for a, tree in zip(analyses, trees, strict=True)]
    vectors = _vectors(analyses)
    aligned = aligner.align(sides[0], sides[1], vectors, k=UNPACKED)
    alignment, source, target = alignment_of(aligned, (trees[0], trees[1]))
    fresh = side_of_tree(source), side_of_tree(target)
    gains = aligner.gains(*fresh, vectors)
    meta = {"entropy": round(aligned.entropy, 4), "gains": _pack(gains)}
    return _Made(pair, alignment, (source, target), golds, meta)


def _vectors(analyses: Sequence[Analysis]) -> Vectors:
    source, target = (one.vectors for one in analyses)
    return None if source is None or target is None else (source, target)


def _gold(sentence: Sentence) -> Parse | None:
    return sentence.parses.filter(
        origin=Origin.GOLD, kind=Parse.Kind.CONSTITUENCY
    ).first()


@transaction.atomic
def _store(made: Sequence[_Made], job: Job) -> None:
    """Add the layers of a batch, and the trees they chose."""
    options = {"parser": job.params["parser"]}
    options |= asdict(PhraseAligner.load().settings)
    for one in made:
        sentences = one.pair.source, one.pair.target
        parses = [
            gold or _parse(sentence, tree)
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
                "meta": one.meta,
            },
        )
        none = Pair.objects.filter(pk=one.pair.pk, state=Pair.State.NONE)
        none.update(state=Pair.State.PROPOSED)


def _parse(sentence: Sentence, tree: Tree) -> Parse:
    """The stored parse that is this tree, else a new one of the aligner's."""
    text, notes = treetext.dump(tree)
    digest = Sentence.key_of(text)
    there = sentence.parses.filter(kind=Parse.Kind.CONSTITUENCY, digest=digest).first()
    if there is not None:
        return there
    return Parse.objects.create(
        sentence=sentence,
        kind=Parse.Kind.CONSTITUENCY,
        origin=Origin.ENGINE,
        engine=ENGINE,
        version=VERSION,
        text=text,
        digest=digest,
        meta=notes,
    )


def _lacking(corpus: Corpus) -> QuerySet[Pair]:
    mine = AlignmentLayer.objects.filter(
        pair=OuterRef("pk"), origin=Origin.ENGINE, engine=ENGINE, version=VERSION
    )
    rows = Pair.objects.filter(~Exists(mine), corpus=corpus)
    return rows.select_related("source", "target").order_by("pk")


def uncertain(corpus: Corpus) -> QuerySet[AlignmentLayer]:
    """The aligner's layers, the least certain first (entropy of its alternatives)."""
    layers = AlignmentLayer.objects.filter(
        pair__corpus=corpus, engine=ENGINE, version=VERSION
    )
    return layers.select_related("pair").order_by("-meta__entropy", "pair_id")


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the aligner would link now; ``supports``: each link's links below it."""

    links: tuple[Link, ...]
    supports: dict[str, list[str]]


def propose(layer: AlignmentLayer) -> Proposal:
    """The links over the layer's trees that go best with what is decided in it.

    Its links must be, its nulls must be null, its rejected links must not be. Raises
    BadRequest without two trees, Conflict naming the decisions that contradict.
    """
    if layer.source_parse is None or layer.target_parse is None:
        raise BadRequest("Links of phrases need a tree on both sides.")
    trees = layer.source_parse.to_tree(), layer.target_parse.to_tree()
    sides = side_of_tree(trees[0]), side_of_tree(trees[1])
    aligner = PhraseAligner.load()
    gains = _gains(layer, aligner, sides)
    decided = _decided(layer, trees)
    try:
        aligned = align_under(*sides, gains, decided, aligner.settings, k=UNPACKED)
    except Contradiction as error:
        raise Conflict(str(error)) from error
    alignment, *_ = alignment_of(aligned, trees)
    return Proposal(alignment.links, _supports(aligned, trees))


def _gains(
    layer: AlignmentLayer, aligner: PhraseAligner, sides: tuple[Side, Side]
) -> Floats:
    """Those the job stored for these two trees, else new ones without a parser."""
    stored = AlignmentLayer.objects.filter(
        pair_id=layer.pair_id,
        engine=ENGINE,
        version=VERSION,
        source_parse_id=layer.source_parse_id,
        target_parse_id=layer.target_parse_id,
    ).first()
    if stored is not None and "gains" in stored.meta:
        return _unpack(stored.meta["gains"], (sides[0].n_nodes, sides[1].n_nodes))
    return aligner.gains(*sides, None)


def _decided(layer: AlignmentLayer, trees: tuple[Tree, Tree]) -> list[Constraint]:
    """The layer as constraints; nodes within a chain are left to the others."""
    spans = [_spans(tree) for tree in trees]
    alignment = layer.to_core()
    wanted = []
    for link in alignment.links:
        s, t = spans[0].get(link.source), spans[1].get(link.target)
        if s and t:
            wanted.append(Constraint("must-link", s, t))
    for ref in sorted(alignment.null_source & spans[0].keys()):
        wanted.append(Constraint("must-null", spans[0][ref], None))
    for ref in sorted(alignment.null_target & spans[1].keys()):
        wanted.append(Constraint("must-null", None, spans[1][ref]))
    for cell in layer.meta.get("rejected", {}):
        s_ref, t_ref = cell.split()[-2:]
        s, t = spans[0].get(s_ref), spans[1].get(t_ref)
        if s and t:
            wanted.append(Constraint("must-not-link", s, t))
    return list(dict.fromkeys(wanted))


def _spans(tree: Tree) -> dict[str, tuple[int, int]]:
    """The span by ref of every node that stands for its chain."""
    found = {}
    for v in collapsed(tree):
        if tree.is_leaf(v) or tree.spans[v][1] - tree.spans[v][0] == 1:
            start = tree.spans[v][0]
            found[f"w{start}"] = tree.spans[v]
        else:
            found[f"n{v}"] = tree.spans[v]
    return found


def _supports(aligned: Aligned, trees: tuple[Tree, Tree]) -> dict[str, list[str]]:
    """By "s t" refs, the links right below each link."""
    by_span = [{span: ref for ref, span in _spans(tree).items()} for tree in trees]

    def name(pair: tuple[int, int]) -> str:
        refs = []
        for side, v, known in zip(
            (aligned.source, aligned.target), pair, by_span, strict=True
        ):
            places = np.flatnonzero(side.members[v])
            refs.append(known.get((int(places[0]), int(places[-1]) + 1), ""))
        return " ".join(refs)

    return {
        name(pair): [name(one) for one in below]
        for pair, below in aligned.best.supports.items()
    }


def _pack(gains: Floats) -> str:
    """As text, to about three digits: what a corrected pair is decoded with again."""
    small = np.clip(gains, -60, 60).astype(np.float16)
    return base64.b85encode(zlib.compress(small.tobytes(), 9)).decode()


def _unpack(text: str, shape: tuple[int, int]) -> Floats:
    data = zlib.decompress(base64.b85decode(text))
    return np.frombuffer(data, np.float16).reshape(shape).astype(np.float64)
