"""Matches as lines: the words of the match between those before and after it."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.models import AlignmentLayer, Pair, Parse, Sentence
from annotator.services.parses import retyping
from annotator.services.queries.running import Hit, Match
from core.data.tree import Tree
from core.errors import GemelError
from core.queries.rows import Kind


@dataclass(frozen=True, slots=True)
class Half:
    """A sentence around one of its nodes. ``match`` may leave words out: "…"."""

    label: str
    before: str
    match: str
    after: str
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """A match; ``other``: its node on the other side of the pair, if it has one.

    ``hits``: by side (0 the root's), the refs of nodes to be marked, w3 or n5, and the
    tree they are of.
    """

    label: str
    before: str
    match: str
    after: str
    code: str  # of the sentence
    ref: str
    language: str
    corpus: str
    match_of: Match
    other: Half | None
    parses: tuple[Parse | None, Parse | None]
    pair: Pair | None
    layer: AlignmentLayer | None


def lines(matches: Sequence[Match]) -> list[ConcordanceLine]:
    """The lines of a page of matches, in few queries however many there are."""
    hits = [hit for match in matches for hit in match.hits]
    parses = Parse.objects.select_related("sentence").in_bulk({h.tree for h in hits})
    trees = {pk: _tree(parse) for pk, parse in parses.items()}
    layers = AlignmentLayer.objects.select_related("pair", "author").in_bulk(
        {match.layer for match in matches} - {0}
    )
    rows = []
    for match in matches:
        near = match.hits[0]
        if near.tree not in parses:  # deleted since
            continue
        far = next((hit for hit in match.hits if not hit.is_near), None)
        here = _half(near, parses, trees)
        other = _half(far, parses, trees) if far and far.tree in parses else None
        sentence = here.sentence
        layer = layers.get(match.layer)
        rows.append(
            ConcordanceLine(
                here.label, here.before, here.match, here.after, sentence.code,
                sentence.ref, sentence.language, match.corpus.name, match, other,
                (parses.get(near.tree), parses.get(far.tree) if far else None),
                layer.pair if layer else None, layer,
            )
        )  # fmt: skip
    return rows


def words_of(hit: Hit, tree: Tree | None) -> list[int]:
    """The positions of the words that a node stands on, none for an empty element."""
    if hit.kind in (Kind.TOKEN, Kind.WORD):
        return [hit.node] if hit.node >= 0 else []
    return list(tree.yield_of(hit.node)) if tree is not None else []


def _tree(parse: Parse) -> Tree | None:
    if parse.kind == Parse.Kind.DEPENDENCY:
        return None
    try:
        return parse.to_tree()
    except GemelError:
        return None


def _half(hit: Hit, parses: dict[int, Parse], trees: dict[int, Tree | None]) -> Half:
    parse = parses[hit.tree]
    forms = retyping.words_of(parse)  # a tree may be older than the sentence's words
    words = words_of(hit, trees[hit.tree])
    if not words:
        return Half(hit.label, " ".join(forms), "", "", parse.sentence)
    before, after = forms[: words[0]], forms[words[-1] + 1 :]
    match = " … ".join(" ".join(forms[i] for i in run) for run in _runs(words))
    return Half(hit.label, " ".join(before), match, " ".join(after), parse.sentence)


def _runs(words: Sequence[int]) -> Iterator[list[int]]:
    """Positions cut where one is left out."""
    for _, run in itertools.groupby(enumerate(words), lambda one: one[1] - one[0]):
        yield [position for _, position in run]
