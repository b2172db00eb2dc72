"""What the pages draw of parses: trees and arcs, how sure, and where gold differs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.db.models import Q
from django.http import Http404
from django.utils.translation import gettext as _

from annotator import access
from annotator.access import Anybody
from annotator.models import Corpus, Pair, Parse, Sentence
from annotator.pages.lengths import refuse_long
from annotator.services.parses import accuracy, parsers
from annotator.services.parses.accuracy import CorpusEngine, Sides
from annotator.services.parses.parsers import Sureness, sureness
from annotator.svg import parse as svg
from annotator.svg.parse import Note
from core.agreement.trees import parseval
from core.data.check import Floats
from core.data.deps import DepTree
from core.data.tree import Tree
from core.dependencies.mst import tree_marginals
from core.forests.inside import entropy, expected_f1
from core.forests.kbest import trees_of
from core.formats.forest_npz import StoredForest
from core.layout.links import LinkedSide, parse_scene
from core.protocols import Analysis


@dataclass(frozen=True, slots=True)
class RankedTree:
    """One tree of an engine's n-best list, its figures in percent.

    ``share``: the probability that all of it is right. ``f1``: the F1 of brackets that
    the engine's forest expects of it; None without a forest.
    """

    rank: int
    share: float
    f1: float | None


def stored(
    sentence: Sentence, engine: str, version: str, forest: StoredForest | None
) -> list[RankedTree]:
    """The stored trees of an engine: the one it chose, then the likeliest wholes."""
    rows = Parse.objects.filter(
        sentence=sentence,
        engine=engine,
        version=version,
        kind=Parse.Kind.CONSTITUENCY,
    )
    trees = [(row.score or 0.0, row.to_tree()) for row in rows.order_by("rank")]
    return ranked(trees, forest)


def ranked(
    trees: Sequence[tuple[float, Tree]], forest: StoredForest | None
) -> list[RankedTree]:
    """Trees, each with its log-probability, in this order."""
    chances = sureness(forest) if forest else None
    return [
        RankedTree(
            rank,
            100 * float(np.exp(min(0.0, score))),
            None if chances is None else 100 * expected_f1(_brackets(tree), chances),
        )
        for rank, (score, tree) in enumerate(trees, 1)
    ]


def _brackets(tree: Tree) -> list[tuple[int, int, str]]:
    return [
        (*tree.spans[v], label)
        for v, label in enumerate(tree.labels)
        if not tree.is_leaf(v)
    ]


SURE = 0.95
PAGE = 25  # sentences
PAIRS = 20  # of a sentence, shown
LONGEST = 200  # letters of words to look for
N_TRIED = 10  # trees of a sentence that someone typed


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A phrase or an arc, the words it is about, and how probable it is in percent."""

    name: str
    words: str
    share: float


@dataclass(frozen=True, slots=True)
class Shown:
    """A drawing and its text alternative; ``entropy`` in bits, None if not known.

    ``uncertain``: what is less than 95 % sure, the least sure first.
    """

    svg: str
    n_differing: int
    entropy: float | None = None
    uncertain: tuple[Uncertain, ...] = ()


@dataclass(frozen=True, slots=True)
class Other:
    """The trees a parse is compared with; ``gold_tags`` say what is punctuation."""

    tree: Tree | None
    deps: DepTree | None
    gold_tags: tuple[str, ...]


def sentences(
    corpus: Corpus, engine: CorpusEngine | None, after: str, words: str = ""
) -> dict[str, Any]:
    """A page of the sentences with all these words: which trees each has, and the
    engine's scores against gold where there is gold."""
    name, version = (engine.name, engine.version) if engine else ("", "")
    page = accuracy.by_sentence(
        corpus, name, version, after=after, size=PAGE + 1, words=words[:LONGEST]
    )
    kinds = accuracy.kinds_of([one.sentence for one in page[:PAGE]])
    rows = [
        {"sentence": one.sentence, "trees": kinds.get(one.sentence.pk, ())}
        | _percent(one)
        for one in page[:PAGE]
    ]
    filters = {"engine": engine.key if engine else "", "words": words}
    return {
        "project": corpus.project,
        "corpus": corpus,
        "engine": engine,
        "words": words,
        "rows": rows,
        "after": after,
        "more": page[PAGE - 1].sentence.code if len(page) > PAGE else "",
        "query": urlencode({name: value for name, value in filters.items() if value}),
    }


def sentence(
    sentence: Sentence,
    engines: list[CorpusEngine],
    engine: CorpusEngine | None,
    compared: str,
    rank: int,
    *,
    by: Anybody,
) -> dict[str, Any]:
    """The page of a sentence; ``compared``: the code of the tree to compare with.

    Raises Http404 if this person may not read it, and as ``drawings`` does.
    """
    corpus, readable = sentence.corpus, accuracy.readable(sentence, by)
    other = next((one for one in readable if one.code == compared), None)
    if compared and other is None:
        raise Http404(_("There is no such tree of this sentence, or it is not yours."))
    base = next((e for e in engines if engine and e.key == engine.helps), None)
    return {
        "project": corpus.project,
        "sentence": sentence,
        "corpus": corpus,
        "engines": engines,
        "engine": engine,
        "readable": readable,
        "compared": other,
        "base": base,
        "may_edit": access.may(by, "annotate", corpus.project),
        "pairs": Pair.objects.filter(Q(source=sentence) | Q(target=sentence))[:PAIRS],
    } | drawings(sentence, engine, rank, other, base=base)


def _percent(sides: Sides) -> dict[str, float | None]:
    """Scores of one sentence, None where gold or the parser is silent."""
    return {
        "f1": 100 * sides.brackets.f1 if sides.brackets and sides.tree else None,
        "uas": 100 * sides.arcs.uas if sides.arcs and sides.deps else None,
        "las": 100 * sides.arcs.las if sides.arcs and sides.deps else None,
    }


def drawings(
    sentence: Sentence,
    engine: CorpusEngine | None,
    rank: int,
    compared: Parse | None = None,
    *,
    base: CorpusEngine | None = None,
) -> dict[str, Any]:
    """An engine's tree of this rank and another, each with the differences marked.

    ``compared``: the other tree; by default the gold trees. ``base``: the engine that
    this one supports by substitution: its tree is drawn, too, and the two are compared
    with each other, unless ``compared`` is given. Raises Http404 if no tree of this
    rank is stored, TooLarge if the sentence is too long to draw.
    """
    refuse_long(sentence)
    name, version = (engine.name, engine.version) if engine else ("", "")
    forest = parsers.stored_forest(sentence, name, version)
    ranked = stored(sentence, name, version, forest)
    if rank != 1 and rank not in [choice.rank for choice in ranked]:
        raise Http404(_("No tree of this rank is stored."))
    sides = sides_of(sentence, name, version, rank)
    if compared is not None:
        sides = accuracy.compared_with(sides, compared)
    drawn: dict[str, Any] = {"choices": ranked, "rank": rank, "sides": sides}
    drawn |= _percent(sides) | _help(sentence, name, version)
    gold_tags = sides.gold_tree.tags if sides.gold_tree else ()
    other = Other(sides.gold_tree, sides.gold_deps, gold_tags)
    if base is not None and compared is None:
        drawn["without"], other = _without(base, sides, other)
    if sides.tree or sides.deps:
        drawn["parser"] = shown(
            sentence.forms,
            sides.tree,
            sides.deps,
            title=_("Tree %(n)s of %(parser)s over: %(text)s")
            % {"n": rank, "parser": name, "text": sentence.text},
            forest=forest,
            other=other,
        )
    if sides.gold_tree or sides.gold_deps:
        drawn["gold"] = _other_drawing(sides, compared.name if compared else _("Gold"))
    return drawn


def _other_drawing(sides: Sides, name: str) -> Shown:
    gold_tags = sides.gold_tree.tags if sides.gold_tree else ()
    return shown(
        sides.sentence.forms,
        sides.gold_tree,
        sides.gold_deps,
        title=_("%(name)s over: %(text)s")
        % {"name": name, "text": sides.sentence.text},
        other=Other(sides.tree, sides.deps, gold_tags),
    )


def _help(sentence: Sentence, name: str, version: str) -> dict[str, Any]:
    """The words that a parser was helped with, and with what (see core's Advice); or
    why one with substitution read the sentence unchanged, "" for no reason."""
    rows = Parse.objects.filter(sentence=sentence, engine=name, version=version, rank=1)
    metas: list[Any] = list(rows.order_by("pk").values_list("meta", flat=True))
    advice: list[Any] = next((meta["advice"] for meta in metas if "advice" in meta), [])
    return {
        "advice": [
            {**one, "form": sentence.forms[one["token"]]}
            for one in advice
            if 0 <= one["token"] < len(sentence.forms)  # else the words were cut again
        ],
        "unhelped": next((m["unhelped"] for m in metas if "unhelped" in m), ""),
    }


def _without(
    base: CorpusEngine, helped: Sides, other: Other
) -> tuple[dict[str, Any] | None, Other]:
    """The tree without substitution, its F1, and that tree to compare with; None and
    ``other`` where one of the two trees is not there."""
    plain = sides_of(helped.sentence, base.name, base.version, 1)
    if plain.tree is None or helped.tree is None:
        return None, other
    tags = plain.tree.tags
    drawn = shown(
        plain.sentence.forms,
        plain.tree,
        plain.deps,
        title=_("Tree without substitution over: %(text)s")
        % {"text": plain.sentence.text},
        other=Other(helped.tree, helped.deps, tags),
    )
    f1 = _percent(plain)["f1"]
    return {"shown": drawn, "f1": f1}, Other(plain.tree, plain.deps, tags)


def tried(analysis: Analysis, rank: int) -> dict[str, Any]:
    """A parser's output for a sentence that is not stored."""
    words, forest = analysis.sentence.forms, parsers.of_analysis(analysis)
    tags = analysis.xpos or ("X",) * len(words)
    best = trees_of(analysis, N_TRIED)
    tree = best[min(rank, len(best)) - 1][1] if best else None
    deps = analysis.deps.tree if analysis.deps else None
    return {
        "choices": ranked(best, forest),
        "rank": rank,
        "tokens": zip(words, analysis.upos or ("",) * len(words), tags, strict=True),
        "parser": shown(
            words,
            tree,
            deps,
            title=_("Parse of: %(text)s") % {"text": " ".join(words)},
            forest=forest,
        )
        if tree or deps
        else None,
    }


def shown(
    words: Sequence[str],
    tree: Tree | None,
    deps: DepTree | None,
    *,
    title: str,
    forest: StoredForest | None = None,
    other: Other | None = None,
) -> Shown:
    """The drawing of a parse; ``other``: the trees it is compared with."""
    sure = sureness(forest) if forest else {}
    arcs_sure = _arc_sureness(forest)
    phrases = _phrase_notes(tree, sure, other) if tree else {}
    arcs = _arc_notes(deps, arcs_sure, other) if deps else {}
    uncertain = _uncertain(words, tree, deps, phrases | arcs)
    if deps:
        labels = [
            svg.marked(label, arcs[f"w{m}"]) for m, label in enumerate(deps.labels)
        ]
        deps = DepTree(deps.heads, tuple(labels))
    scene = parse_scene(LinkedSide(tuple(words), tree, deps))
    drawn = svg.draw(scene, title=title, phrases=phrases, arcs=arcs)
    differing = sum(note.differs for note in (*phrases.values(), *arcs.values()))
    bits = entropy(forest.forest, forest.weights) / np.log(2) if forest else None
    return Shown(drawn, differing, bits, uncertain)


def _arc_sureness(stored: StoredForest | None) -> Floats | None:
    if stored is None or stored.arcs is None:
        return None
    return tree_marginals(stored.arcs)


def _uncertain(
    words: Sequence[str],
    tree: Tree | None,
    deps: DepTree | None,
    notes: Mapping[str, Note],
) -> tuple[Uncertain, ...]:
    uncertain = []
    for ref, note in notes.items():
        if note.p is None or note.p >= SURE:
            continue
        v = int(ref[1:])
        if ref[0] == "n" and tree:
            start, end = tree.spans[v]
            name, text = tree.labels[v], " ".join(words[start:end])
        elif deps:
            head = words[deps.heads[v]] if deps.heads[v] >= 0 else "ROOT"
            name, text = deps.labels[v], f"{head} → {words[v]}"
        uncertain.append(Uncertain(name, text, 100 * note.p))
    return tuple(sorted(uncertain, key=lambda one: one.share))


def _phrase_notes(tree: Tree, sure: Sureness, other: Other | None) -> dict[str, Note]:
    theirs = other.tree if other else None
    gold_tags = other.gold_tags if other and other.gold_tags else tree.tags
    place = [0]
    for tag in gold_tags:
        place.append(place[-1] + (tag not in parseval.PUNCTUATION))
    known = parseval.brackets(theirs, gold_tags) if theirs else None
    scored = parseval.brackets(tree, gold_tags)
    notes = {}
    for v, label in enumerate(tree.labels):
        if tree.is_leaf(v):
            continue
        start, end = tree.spans[v]
        bracket = (place[start], place[end], parseval.plain_label(label))
        differs = known is not None and bracket in scored and bracket not in known
        p = sure.get((start, end, label), 0.0) if sure else None
        notes[f"n{v}"] = Note(p, differs)
    return notes


def _arc_notes(
    deps: DepTree, sure: Floats | None, other: Other | None
) -> dict[str, Note]:
    theirs = other.deps if other else None
    notes = {}
    for m, h in enumerate(deps.heads):
        p = None if sure is None else float(sure[h + 1, m + 1])
        differs = theirs is not None and (theirs.heads[m], theirs.labels[m]) != (
            h,
            deps.labels[m],
        )
        notes[f"w{m}"] = Note(p, differs)
    return notes


def sides_of(sentence: Sentence, engine: str, version: str, rank: int) -> Sides:
    """Gold and the engine's tree of this rank for one sentence."""
    (sides,) = accuracy.sides_of([sentence], engine, version, rank=rank)
    return sides
