"""Random words, sentences, trees, dependencies, alignments and pairs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from core.data.alignment import Alignment, Link
from core.data.deps import DepTree
from core.data.tokens import Token
from core.data.tree import Tree, TreeBuilder
from core.formats.records import (
    LayerRecord,
    PairRecord,
    ParseRecord,
    SentenceRecord,
)

SIGNS = "abcXYZ0189.,;:!?'\"`()[]{}<>&%$#|/\\*+=~^_-@"
SIGNS += "é\u00e5ßжאअ日\U0001f426\u202e\u0301\u00a0\u200a\u2028\x85"
PHRASES = ("S", "NP-SBJ-1", "VP", "PP", "$(", "N P", "", "<b>")
TAGS = ("DT", "NN", "VBD", ",", "-LRB-", "$(", "``", "A&B")

words = st.text(SIGNS, min_size=1, max_size=6)
names = st.text("abcXYZ019-_.:é", min_size=1, max_size=8).filter(lambda t: t != "_")
texts = st.lists(words, min_size=1, max_size=7).map(" ".join).filter(str.strip)


@st.composite
def trees(
    draw: Callable[..., Any],
    *,
    gaps: bool = False,
    traces: bool = True,
    edges: bool = False,
    labels: tuple[str, ...] = PHRASES,
    tags: tuple[str, ...] = TAGS,
    forms: st.SearchStrategy[str] = words,
) -> Tree:
    """A tree of one to six tokens; with ``gaps`` its phrases may be discontinuous; with
    ``edges`` there are labels of edges, and secondary edges."""
    n = draw(st.integers(1, 6))
    n_phrases = draw(st.integers(1, 4))
    mothers = [draw(st.integers(0, max(0, p - 1))) for p in range(n_phrases)]
    if gaps:
        homes = [draw(st.integers(0, n_phrases - 1)) for _ in range(n)]
    else:
        homes = _nested(draw, mothers, n)
    below: dict[int, list[int]] = {p: [] for p in range(n_phrases)}
    for token, home in enumerate(homes):
        below[home].append(token)
    builder = TreeBuilder()
    pick = {"label": st.sampled_from(labels), "tag": st.sampled_from(tags)}
    edge = st.sampled_from(("", "SBJ", "HD")) if edges else st.just("")

    def first(p: int) -> int:
        inner = [first(q) for q in range(1, n_phrases) if mothers[q] == p and q != p]
        return min([*below[p], *inner], default=n)

    def grow(p: int) -> None:
        builder.open(draw(pick["label"]), edge=draw(edge) if p else "")
        inside = [(token, -1) for token in below[p]]
        inside += [
            (first(q), q)
            for q in range(1, n_phrases)
            if mothers[q] == p and q != p and first(q) < n
        ]
        for token, q in sorted(inside):
            if q >= 0:
                grow(q)
                continue
            if traces and draw(st.integers(0, 9)) == 0:
                builder.trace("-NONE-", "*T*-1", edge=draw(edge))
            builder.leaf(draw(pick["tag"]), draw(forms), token=token, edge=draw(edge))
        builder.close()

    grow(0)
    tree = builder.freeze()
    if not edges:
        return tree
    node = st.integers(0, len(tree) - 1)
    ends = st.tuples(node, node, st.sampled_from(("", "SB")))
    drawn = draw(st.sets(ends.filter(lambda one: one[0] != one[1]), max_size=2))
    return replace(tree, secondary=tuple(sorted(drawn)))


def _nested(draw: Callable[..., Any], mothers: list[int], n: int) -> list[int]:
    """Homes that leave every phrase one stretch of tokens."""
    order: list[int] = []

    def walk(p: int) -> None:
        order.append(p)
        for q in range(1, len(mothers)):
            if mothers[q] == p and q != p:
                walk(q)

    walk(0)
    cuts = sorted(
        draw(st.lists(st.integers(0, len(order) - 1), min_size=n, max_size=n))
    )
    return [order[cut] for cut in cuts]


@st.composite
def sentences(draw: Callable[..., Any], *, rich: bool = True) -> SentenceRecord:
    """Tokens with columns, an id, the raw text, and dependencies or none."""
    plain = words.filter(lambda form: form != "_")  # "_" is CoNLL-U for nothing
    forms = draw(st.lists(plain, min_size=1, max_size=5))
    column = st.one_of(st.just(""), names) if rich else st.just("")
    tokens = tuple(Token(form, *(draw(column) for _ in range(5))) for form in forms)
    return SentenceRecord(tokens, " ".join(forms), draw(names))


@st.composite
def dependencies(draw: Callable[..., Any], n: int) -> DepTree:
    """Heads point back to a token before, so there is no cycle; then a shuffle."""
    order = draw(st.permutations(range(n)))
    heads = [-1] * n
    for at, token in enumerate(order):
        parent = draw(st.integers(-1, at - 1))
        heads[token] = -1 if parent < 0 else order[parent]
    return DepTree(tuple(heads), tuple(draw(names) for _ in range(n)))


@st.composite
def alignments(
    draw: Callable[..., Any], n_source: int, n_target: int, letter: str = "w"
) -> Alignment:
    """Sure and possible links between tokens (or, with ``n``, phrases)."""
    ends = st.tuples(st.integers(0, n_source - 1), st.integers(0, n_target - 1))
    cells = draw(st.sets(ends, max_size=6))
    kinds = st.sampled_from(("sure", "possible"))
    return Alignment(
        tuple(Link(f"{letter}{i}", f"{letter}{j}", draw(kinds)) for i, j in cells)
    )


@st.composite
def pairs(
    draw: Callable[..., Any], *, linked: bool | None = None, label: Any = names
) -> PairRecord:
    """A pair of raw sentences; or of tokens with one layer of links."""
    with_links = draw(st.booleans()) if linked is None else linked
    sides, layers = [], ()
    for _ in range(2):
        text = draw(texts)
        tokens = tuple(Token(form) for form in text.split(" ")) if with_links else ()
        sides.append(SentenceRecord(tokens, text))
    if with_links:
        sizes = len(sides[0].tokens), len(sides[1].tokens)
        layer = draw(alignments(*sizes).filter(lambda made: bool(made.links)))
        layers = (LayerRecord(layer),)
    return PairRecord(sides[0], sides[1], draw(names), draw(label), layers)


def of_tree(tree: Tree, *, name: str = "s1") -> SentenceRecord:
    """The sentence of this tree, tags as ``xpos``."""
    tokens = tuple(
        Token(form, xpos=tag) for form, tag in zip(tree.words, tree.tags, strict=True)
    )
    text = " ".join(tree.words)
    return SentenceRecord(tokens, text, name, ParseRecord(tree=tree))
