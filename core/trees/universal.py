"""Dependencies in the manner of Universal Dependencies, read off a gold tree.

The heads are those of ``core.trees.universal_heads``, but the first conjunct heads a
coordination, however long, a conjunction hangs from the conjunct after it, and the
words of a fixed expression from its first. There are no labels. What UD decides by
meaning alone stays different; how much is measured in lab/notes/joint-parsing.md.
"""

from collections.abc import Iterator

from core.data.deps import ROOT, DepTree
from core.data.tree import Tree
from core.trees.heads import PUNCTUATION, category
from core.trees.universal_heads import kind_of, universal_head

CONJUNCTIONS = frozenset({"CC", "CONJP"})
LINKS = PUNCTUATION | CONJUNCTIONS
ADVERBS = frozenset({"ADVP", "RB", "PRN"})
_FIXED = """
as well as
according to
as if
as opposed to
as though
as to
as well
because of
depending on
depending upon
due to
each other
in order
instead of
let alone
of course
one another
out of
prior to
rather than
such as
"""
FIXED = tuple(tuple(line.split()) for line in _FIXED.strip().splitlines())


def to_universal(tree: Tree) -> DepTree:
    """The heads of the tokens of ``tree``; every label is "dep", the top's "root"."""
    head_of = _heads(tree)
    heads = [ROOT] * tree.n_tokens
    for v in range(1, len(tree)):
        mother = head_of[tree.parents[v]]
        if head_of[v] >= 0 and head_of[v] != mother:
            heads[head_of[v]] = mother
    for v in range(len(tree)):
        for at, child in enumerate(tree.children[v]):
            if kind_of(tree, child) in CONJUNCTIONS:
                _hang(tree, heads, v, at, head_of)
    for begin, end in _fixed(tree):
        _fix(heads, begin, end)
    labels = tuple("root" if h == ROOT else "dep" for h in heads)
    return DepTree(tuple(heads), labels)


def counted_words(tree: Tree) -> list[bool]:
    """Whether each token counts in scores: by its gold tag no punctuation."""
    return [category(tag) not in PUNCTUATION for tag in tree.tags]


def _heads(tree: Tree) -> list[int]:
    """The head token of every node, -1 where there is none."""
    heads = list(tree.tokens)
    for v in range(len(tree) - 1, -1, -1):
        if tree.children[v] and tree.spans[v][0] < tree.spans[v][1]:
            heads[v] = heads[_first_conjunct(tree, v, universal_head(tree, v))]
    return heads


def _first_conjunct(tree: Tree, v: int, head: int) -> int:
    """The first of the like children that stand in one coordination with ``head``."""
    children = tree.children[v]
    kinds = [kind_of(tree, c) for c in children]
    at = children.index(head)
    if not CONJUNCTIONS & set(kinds):
        return head
    like = kinds[at][:2]
    while True:
        before = at - 1
        while before >= 0 and kinds[before] in LINKS | ADVERBS:
            before -= 1
        is_linked = not LINKS.isdisjoint(kinds[before + 1 : at])
        if before < 0 or not is_linked or kinds[before][:2] != like:
            return children[at]
        at = before


def _hang(tree: Tree, heads: list[int], v: int, at: int, head_of: list[int]) -> None:
    """Hang a conjunction from the next conjunct, if that makes no cycle; one that
    begins its phrase stays with the phrase's head."""
    children = tree.children[v]
    word = head_of[children[at]]
    kinds = [kind_of(tree, c) for c in children]
    before = [kind for kind in kinds[:at] if kind not in LINKS]
    if word < 0 or heads[word] == ROOT or not before:
        return
    after = [k for k in range(at + 1, len(kinds)) if head_of[children[k]] >= 0]
    after = [k for k in after if kinds[k] not in PUNCTUATION]
    alike = [k for k in after if kinds[k][:2] in {kind[:2] for kind in before}]
    for k in (alike or after)[:1]:
        top = head_of[children[k]]
        if not _is_above(heads, word, top):
            heads[word] = top


def _is_above(heads: list[int], word: int, other: int) -> bool:
    while other not in (ROOT, word):
        other = heads[other]
    return other == word


def _fixed(tree: Tree) -> Iterator[tuple[int, int]]:
    """Where fixed expressions begin and end, the longest first at each place."""
    words = [word.lower() for word in tree.words]
    at = 0
    while at < len(words):
        matches = (x for x in FIXED if tuple(words[at : at + len(x)]) == x)
        length = len(next(matches, ()))
        if length:
            yield at, at + length
        at += max(1, length)


def _fix(heads: list[int], begin: int, end: int) -> None:
    """The first word takes the place that the expression has, the others hang from
    it; left alone where anything else hangs from them, or two lead out of it."""
    inside = range(begin, end)
    out = {heads[k] for k in inside} - set(inside)
    below = [m for m, h in enumerate(heads) if h in inside and m not in inside]
    if len(out) != 1 or below:
        return
    heads[begin] = out.pop()
    for k in range(begin + 1, end):
        heads[k] = begin
