"""Engines against the gold trees of a corpus: over all of it, and by sentence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.query import QuerySet

from annotator.models import Corpus, Job, Origin, Parse, Sentence
from core.agreement import attachment, parseval
from core.agreement.attachment import Attachment
from core.agreement.parseval import Parseval
from core.backends.evaluate import Scores
from core.data.deps import DepTree
from core.data.tokens import Token
from core.data.tree import Tree
from core.errors import GemelError
from core.formats import conllu

__all__ = ["Engine", "Sides", "by_sentence", "engines_of", "of_corpus", "sides_of"]

CHUNK = 500
SHOWN = (
    "sentences",
    "tokens",
    "uas",
    "las",
    "las_main",
    "uas_no_punct",
    "las_no_punct",
    "xpos",
    "precision",
    "recall",
    "f1",
    "exact",
)


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that has parsed something here; ``scores``: of its last job, or {}."""

    name: str
    version: str
    n_sentences: int
    scores: dict[str, Any]

    @property
    def key(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(slots=True)
class Sides:
    """The trees and arcs over one sentence, gold's and an engine's best, if any."""

    sentence: Sentence
    gold_tree: Tree | None = None
    tree: Tree | None = None
    gold_deps: DepTree | None = None
    deps: DepTree | None = None
    gold_tokens: tuple[Token, ...] = ()
    tokens: tuple[Token, ...] = ()

    @property
    def brackets(self) -> Parseval | None:
        """Counts against the gold tree; None without one."""
        if self.gold_tree is None:
            return None
        return parseval.compare(self.gold_tree, self.tree)

    @property
    def arcs(self) -> Attachment | None:
        if self.gold_deps is None:
            return None
        return attachment.compare(self.gold_deps, self.deps)


def engines_of(corpus: Corpus) -> list[Engine]:
    """Who has parsed sentences of the corpus, with the scores of the last jobs."""
    rows = (
        Parse.objects.filter(sentence__corpus=corpus, origin=Origin.ENGINE, rank=1)
        .values_list("engine", "version")
        .annotate(n=Count("sentence", distinct=True))
        .order_by("engine", "version")
    )
    done = Job.objects.filter(
        project=corpus.project_id,
        kind__in=["parse", "joint"],
        state=Job.State.DONE,
        params__corpus=corpus.code,
    )
    scores = {
        (result.get("engine"), result.get("version")): _scores_in(result)
        for result in done.order_by("pk").values_list("result", flat=True)
    }
    return [
        Engine(name, version, n, scores.get((name, version), {}))
        for name, version, n in rows
    ]


def _scores_in(result: dict[str, Any]) -> dict[str, Any]:
    """The scores in what a job says at its end, None where it says nothing."""
    return {name: result.get(name) for name in SHOWN}


def of_corpus(corpus: Corpus, engine: str, version: str) -> dict[str, Any]:
    """Scores in percent over all sentences with gold trees; {} if there are none.

    As ``core.backends.evaluate``; sentences that the engine has not parsed are left
    out. Reads the corpus in chunks.
    """
    total = Scores()
    rows = with_gold(corpus).order_by("pk")
    last = 0
    while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
        last = chunk[-1].pk
        for sides in sides_of(chunk, engine, version):
            _add(total, sides)
    if not total.sentences:
        return {}
    found = total.to_json()
    return {name: found[name] for name in SHOWN if found[name] is not None}


def by_sentence(
    corpus: Corpus, engine: str, version: str, *, after: str = "", size: int
) -> list[Sides]:
    """A page of the sentences, in order of import.

    ``after``: the code of the last sentence of the page before.
    """
    rows = corpus.sentences.order_by("pk")
    if after:
        rows = rows.filter(pk__gt=corpus.sentences.filter(code=after).values("pk")[:1])
    return list(sides_of(list(rows[:size]), engine, version))


def with_gold(corpus: Corpus) -> QuerySet[Sentence]:
    gold = Parse.objects.filter(sentence=OuterRef("pk"), origin=Origin.GOLD)
    return corpus.sentences.filter(Exists(gold))


def sides_of(
    sentences: Sequence[Sentence], engine: str, version: str, *, rank: int = 1
) -> Iterator[Sides]:
    """Gold and the engine's tree of this rank over each sentence. One query.

    Trees that do not fit the tokens are left out.
    """
    by_engine = Q(origin=Origin.ENGINE, engine=engine, version=version)
    ranked = Q(kind=Parse.Kind.CONSTITUENCY, rank=rank) | Q(
        kind=Parse.Kind.DEPENDENCY, rank=1
    )
    rows = Parse.objects.filter(
        Q(origin=Origin.GOLD) | (by_engine & ranked), sentence__in=sentences
    ).order_by("-pk")
    found = {sentence.pk: Sides(sentence) for sentence in sentences}
    for parse in rows:
        _put(found[parse.sentence_id], parse)
    return (found[sentence.pk] for sentence in sentences)


def _put(sides: Sides, parse: Parse) -> None:
    gold = parse.origin == Origin.GOLD
    n = sides.sentence.n_tokens
    try:
        if parse.kind == Parse.Kind.CONSTITUENCY:
            tree = parse.to_tree()
            if tree.n_tokens == n:
                setattr(sides, "gold_tree" if gold else "tree", tree)
            return
        deps, tokens = parse.to_deps(), conllu.tokens_of(parse.text)
    except GemelError:
        return  # a stored text that is no tree is reported where it is shown
    if len(deps) == n:
        setattr(sides, "gold_deps" if gold else "deps", deps)
        setattr(sides, "gold_tokens" if gold else "tokens", tokens)


def _add(total: Scores, sides: Sides) -> None:
    brackets = sides.brackets if sides.tree else None
    arcs = sides.arcs if sides.deps else None
    if brackets is None and arcs is None:
        return
    total.sentences += 1
    total.tokens += sides.sentence.n_tokens
    if brackets is not None:
        total.brackets += brackets
        _tags(total, sides)
    if arcs is not None and sides.gold_deps is not None:
        total.arcs += arcs
        upos = [token.upos for token in sides.gold_tokens]
        if any(upos):
            total.words += attachment.compare(
                sides.gold_deps, sides.deps, without_punctuation=upos
            )


def _tags(total: Scores, sides: Sides) -> None:
    if sides.gold_tree is None or sides.tree is None:
        return
    pairs = list(zip(sides.gold_tree.tags, sides.tree.tags, strict=True))
    total.tags["n_xpos"] += len(pairs)
    total.tags["xpos"] += sum(a == b for a, b in pairs)
