"""Dependencies in the style of Universal Dependencies, from a gold tree.

The heads are those of ``universal_head``, but the first conjunct heads a coordination
of any length, a conjunction depends on the following conjunct, and the words of a fixed
expression on its first. There are no labels. What UD decides by meaning alone stays
different; lab/notes/joint-parsing.md has the figures.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from core.data.deps import ROOT, DepTree
from core.data.tree import Tree
from core.trees.heads import PUNCTUATION, SEMANTIC, category, head_child

MODIFIERS = frozenset({"JJ", "JJR", "JJS", "VBN", "VBG", "ADJP"})
NOUNS = frozenset({"NP", "NML", "NX"})
NUMBERS = frozenset({"CD", "QP"})
BETWEEN = frozenset({"TO", "IN", "SYM", "HYPH", ":"})
_MONTHS = """
january february march april may june july august september october november december
jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec.
"""
MONTHS = frozenset(_MONTHS.split())
INDEX = re.compile(r"(\d+[A-Za-z]?|[A-Z]\d{0,2}|[IVX]+)([-–]\S+)?")
ASKS = frozenset({"what", "whatever", "whoever", "how", "why", "wherever"})
Rule = Callable[[Tree, Sequence[int], Sequence[str]], int | None]


def universal_head(tree: Tree, v: int) -> int:
    """The child of phrase ``v`` that is its head. Raises InvalidValue if nothing but
    traces is below it."""
    below = tree.with_words(v)
    names = [kind_of(tree, c) for c in below]
    rule = _RULES.get(kind_of(tree, v))
    at = rule(tree, below, names) if rule else None
    return head_child(tree, v, SEMANTIC) if at is None else below[at]


def kind_of(tree: Tree, v: int) -> str:
    return category(tree.labels[v])


def words_below(tree: Tree, v: int) -> list[str]:
    """The forms of the tokens below ``v``, in lower case."""
    at, end = tree.spans[v]
    return [word.lower() for word in tree.words[at:end]]


def _last(names: Sequence[str], wanted: frozenset[str]) -> int | None:
    order = range(len(names) - 1, -1, -1)
    return next((at for at in order if names[at] in wanted), None)


def _adjective(tree: Tree, below: Sequence[int], names: Sequence[str]) -> int | None:
    """ "age-matched", "blue-green", "low-cost": the last part."""
    if len(names) > 2 and names[-2] == "HYPH" and names[-1][:2] in ("NN", "JJ", "VB"):
        return len(names) - 1
    return _last(names, MODIFIERS)


def _question(tree: Tree, below: Sequence[int], names: Sequence[str]) -> int | None:
    """ "how many": the adjective, not the adverb."""
    return _last(names, MODIFIERS)


def _quantity(tree: Tree, below: Sequence[int], names: Sequence[str]) -> int | None:
    """ "$ 5", "5 to 10": the sign, or the first number."""
    if "$" in names:
        return names.index("$")
    first, last = names.index("CD") if "CD" in names else None, _last(names, NUMBERS)
    if first is None or last is None:
        return None
    return first if BETWEEN & set(names[first:last]) else last


def _noun(tree: Tree, below: Sequence[int], names: Sequence[str]) -> int | None:
    """Names of two parts ("Ada Byron", first 618 of 1,038), numbered things ("table
    3"), days of a month ("June 4", the number)."""
    words = [words_below(tree, c)[-1] for c in below]
    if len(names) > 1 and set(names) == {"NNP"}:
        initial = len(words[-2].rstrip(".")) == 1
        return 0 if len(names) == 2 or initial else None
    begin = len(names)
    while begin and names[begin - 1] == "NNP":
        begin -= 1
    if 0 < begin < len(names) and names[begin - 1] in ("NN", "NNS"):
        return begin - 1
    for at in range(1, len(names)):
        if words[at - 1] in MONTHS and names[at] == "CD":
            return at
    last = len(names) - 1
    if last > 0 and names[last] in ("NN", "NNP") and names[last - 1][:2] == "NN":
        form = tree.words[tree.spans[below[last]][0]]
        return last - 1 if INDEX.fullmatch(form) else None
    return None


def _preposition(tree: Tree, below: Sequence[int], names: Sequence[str]) -> int | None:
    """ "based on": the participle."""
    if "PP" in names and names[0] in ("VBN", "VBG"):
        return 0
    return None


def _clause(tree: Tree, below: Sequence[int], names: Sequence[str]) -> int | None:
    """ "what they saw", free or interrogative: the question word (225 of 240); of a
    relative clause, which is in a noun phrase, the verb."""
    if names[0] not in ("WHNP", "WHADVP") or len(names) == 1:
        return None
    parent = tree.parents[tree.parents[below[0]]]
    is_relative = parent >= 0 and kind_of(tree, parent) in NOUNS
    if is_relative or words_below(tree, below[0])[0] not in ASKS:
        return None
    return 0


def _verb(tree: Tree, below: Sequence[int], names: Sequence[str]) -> int | None:
    """ "there is tea": the verb, no copula."""
    parent = tree.parents[tree.parents[below[0]]]
    if "VP" in names or parent < 0:
        return None
    if not any(_is_there(tree, c) for c in tree.children[parent]):
        return None
    return next((at for at, name in enumerate(names) if name.startswith("VB")), None)


def _is_there(tree: Tree, v: int) -> bool:
    return any(kind_of(tree, c) == "EX" for c in tree.children[v])


_RULES: dict[str, Rule] = {
    "ADJP": _adjective,
    "WHADJP": _question,
    "QP": _quantity,
    "NP": _noun,
    "NML": _noun,
    "NX": _noun,
    "PP": _preposition,
    "SBAR": _clause,
    "VP": _verb,
}


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
        parent = head_of[tree.parents[v]]
        if head_of[v] >= 0 and head_of[v] != parent:
            heads[head_of[v]] = parent
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
    """The first of the children of the same kind that form one coordination with
    ``head``."""
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
    """The first word takes the position of the expression, the others depend on it;
    unchanged where anything else depends on them, or two have heads outside."""
    inside = range(begin, end)
    out = {heads[k] for k in inside} - set(inside)
    below = [m for m, h in enumerate(heads) if h in inside and m not in inside]
    if len(out) != 1 or below:
        return
    heads[begin] = out.pop()
    for k in range(begin + 1, end):
        heads[k] = begin
