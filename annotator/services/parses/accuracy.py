"""Engines compared with the gold trees of a corpus: overall, and by sentence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.query import QuerySet
from django.utils.translation import gettext as _

from annotator.models import Corpus, Job, Origin, Parse, Sentence
from annotator.models.projects import Anybody
from annotator.numbers import local
from annotator.services import jobs
from annotator.services.kept_counts import kept
from annotator.services.parses import offered
from core.agreement.trees import attachment, parseval
from core.agreement.trees.attachment import Attachment
from core.agreement.trees.parseval import Parseval
from core.data.deps import DepTree
from core.data.tokens import Token
from core.data.tree import Tree
from core.errors import GemelError
from core.evaluation.parsers import ParserScores
from core.formats import conllu
from core.parsing import registry

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
class CorpusEngine:
    """An engine that has parsed something here; ``scores``: of its last job, or {}.

    ``helps``: the key of the engine that it helps by substitution, "" if it is none
    such; ``before``: the F1 of that one here, in percent. ``by_unknown``: see
    ``core.evaluation.parsers``; [] if it does not list its training words.
    """

    name: str
    version: str
    n_sentences: int
    scores: dict[str, Any]
    helps: str = ""
    before: float | None = None
    by_unknown: Sequence[dict[str, Any]] = ()
    trained_on: int = 0  # sentences with gold that it was trained on: they do not count

    @property
    def n_with_gold(self) -> int:
        """Sentences with gold trees, counted in the scores or not."""
        return int(self.scores.get("sentences") or 0) + self.trained_on

    @property
    def key(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def gain(self) -> str:
        """Points of F1 that substitution gained, such as +0.45; "" without gold."""
        f1 = self.scores.get("f1")
        if self.before is None or f1 is None:
            return ""
        return local(f"{f1 - self.before:+.2f}")

    @property
    def is_gone(self) -> bool:
        """Whether it made trees here but is no longer part of Gemel."""
        return self.name in registry.GONE


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


def engines_of(corpus: Corpus) -> list[CorpusEngine]:
    """The parsers that parsed sentences of the corpus, with the scores of the last
    jobs.

    In a large corpus the count of the sentences may be one minute old.
    """
    rows = (
        Parse.objects.filter(sentence__corpus=corpus, origin=Origin.ENGINE, rank=1)
        .values_list("engine", "version")
        .annotate(n=Count("sentence", distinct=True))
        .order_by("engine", "version")
    )
    counted = kept(f"engines-{corpus.pk}", corpus.n_sentences, lambda: list(rows))
    done = Job.objects.filter(
        project=corpus.project_id,
        kind__in=["parse", "joint", "substitution"],
        state=Job.State.DONE,
        params__corpus=corpus.code,
    )
    results: dict[tuple[str, str], dict[str, Any]] = {}
    for result in done.order_by("pk").values_list("result", flat=True):
        for one in (result.get("base"), result):
            if one:
                key = one.get("engine", ""), one.get("version", "")
                results.setdefault(key, {}).update(one)
    return [
        CorpusEngine(name, version, n, **_shares(results.get((name, version))))
        for name, version, n in counted
    ]


def _shares(result: dict[str, Any] | None) -> dict[str, Any]:
    """What jobs say at their ends; scores are None where they say nothing of them."""
    if result is None:
        return {"scores": {}}
    base = result.get("base") or {}
    return {
        "scores": {name: result.get(name) for name in SHOWN},
        "trained_on": int(result.get("trained_on", 0)),
        "helps": f"{base['engine']} {base['version']}" if base else "",
        "before": base.get("f1"),
        "by_unknown": result.get("by_unknown", []),
    }


def of_corpus(corpus: Corpus, engine: str, version: str) -> dict[str, Any]:
    """Scores in percent over all sentences with gold trees; {} if there are none.

    As ``core.evaluation.parsers``; excluded are sentences without a parse, and those
    that the engine was trained on (``trained_on``: how many). Reads the corpus in
    chunks.
    """
    total, learnt = ParserScores(), offered.trained_on(corpus.project, engine)
    n_learnt = 0
    for chunk in jobs.in_batches(with_gold(corpus), CHUNK):
        new = [one for one in chunk if not is_learnt(one, learnt)]
        n_learnt += len(chunk) - len(new)
        for sides in sides_of(new, engine, version):
            _add(total, sides)
    noted = {"trained_on": n_learnt} if n_learnt else {}
    if not total.sentences:
        return noted
    figures = total.to_json()
    return noted | {name: figures[name] for name in SHOWN if figures[name] is not None}


def is_learnt(sentence: Sentence, learnt: frozenset[str]) -> bool:
    """Whether a parser was trained on these words; ``learnt``: their keys."""
    return bool(learnt) and Sentence.key_of(" ".join(sentence.forms)) in learnt


def by_sentence(
    corpus: Corpus,
    engine: str,
    version: str,
    *,
    after: str = "",
    size: int,
    words: str = "",
) -> list[Sides]:
    """A page of the sentences, in order of import.

    ``after``: the code of the last sentence of the page before; ``words``: all of them
    are in the text.
    """
    rows = corpus.sentences.order_by("pk")
    for word in words.split():
        rows = rows.filter(text__icontains=word)
    if after:
        rows = rows.filter(pk__gt=corpus.sentences.filter(code=after).values("pk")[:1])
    return list(sides_of(list(rows[:size]), engine, version))


def kinds_of(sentences: Sequence[Sentence]) -> dict[int, list[str]]:
    """The kinds of trees of each sentence, by its row: "gold constituents", "english
    arcs"."""
    rows = Parse.objects.filter(sentence__in=sentences, rank=1)
    rows = rows.filter(origin__in=[Origin.GOLD, Origin.ENGINE]).order_by(
        "-origin", "engine", "kind"
    )
    kinds: dict[int, list[str]] = {}
    for pk, origin, engine, kind in rows.values_list(
        "sentence_id", "origin", "engine", "kind"
    ):
        maker = {"maker": _("gold") if origin == Origin.GOLD else engine}
        is_tree = kind == Parse.Kind.CONSTITUENCY
        label = (
            _("%(maker)s constituents") if is_tree else _("%(maker)s arcs")
        ) % maker
        if label not in kinds.setdefault(pk, []):
            kinds[pk].append(label)
    return kinds


def readable(sentence: Sentence, user: Anybody) -> list[Parse]:
    """The parses of a sentence that this person may see: gold, engines', their own, and
    other people's for those who see others' annotations."""
    order = "-origin", "engine", "version", "kind", "rank"
    rows = Parse.objects.readable_by(user, sentence.corpus.project)
    rows = rows.filter(sentence=sentence).select_related("author")
    return list(rows.order_by(*order))


def compared_with(sides: Sides, parse: Parse) -> Sides:
    """The engine's side as it is, and this parse in the place of gold."""
    compared = Sides(
        sides.sentence, tree=sides.tree, deps=sides.deps, tokens=sides.tokens
    )
    _put(compared, parse, gold=True)
    return compared


def with_gold(corpus: Corpus) -> QuerySet[Sentence]:
    gold = Parse.objects.filter(sentence=OuterRef("pk"), origin=Origin.GOLD)
    return corpus.sentences.filter(Exists(gold))


def sides_of(
    sentences: Sequence[Sentence], engine: str, version: str, *, rank: int = 1
) -> Iterator[Sides]:
    """Gold and the engine's tree of this rank for each sentence. One query.

    Trees that do not fit the tokens are left out.
    """
    by_engine = Q(origin=Origin.ENGINE, engine=engine, version=version)
    ranked = Q(kind=Parse.Kind.CONSTITUENCY, rank=rank) | Q(
        kind=Parse.Kind.DEPENDENCY, rank=1
    )
    rows = Parse.objects.filter(
        Q(origin=Origin.GOLD) | (by_engine & ranked), sentence__in=sentences
    ).order_by("-pk")
    by_pk = {sentence.pk: Sides(sentence) for sentence in sentences}
    for parse in rows:
        _put(by_pk[parse.sentence_id], parse, gold=parse.origin == Origin.GOLD)
    return (by_pk[sentence.pk] for sentence in sentences)


def _put(sides: Sides, parse: Parse, *, gold: bool) -> None:
    n = sides.sentence.n_tokens
    try:
        if parse.kind == Parse.Kind.CONSTITUENCY:
            tree = parse.to_tree()
            if tree.n_tokens == n:
                setattr(sides, "gold_tree" if gold else "tree", tree)
            return
        deps, tokens = parse.to_deps(), conllu.tokens_of(parse.text)
    except GemelError:
        return  # a stored text that is not a tree is reported where it is shown
    if len(deps) == n:
        setattr(sides, "gold_deps" if gold else "deps", deps)
        setattr(sides, "gold_tokens" if gold else "tokens", tokens)


def _add(total: ParserScores, sides: Sides) -> None:
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


def _tags(total: ParserScores, sides: Sides) -> None:
    if sides.gold_tree is None or sides.tree is None:
        return
    pairs = list(zip(sides.gold_tree.tags, sides.tree.tags, strict=True))
    total.tags["n_xpos"] += len(pairs)
    total.tags["xpos"] += sum(a == b for a, b in pairs)
