"""Which child heads a phrase in Universal Dependencies where SEMANTIC would differ.

Counted on the training part of GUM, whose sentences have both kinds of gold (Zeldes
2017). Each rule answers None where it has nothing to say.
"""

import re
from collections.abc import Callable, Sequence

from core.data.tree import Tree
from core.trees.heads import SEMANTIC, category, head_child

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
    below = [c for c in tree.children[v] if tree.spans[c][0] < tree.spans[c][1]]
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
    """ "what they saw", free or asked: the question word (225 of 240); of a relative
    clause, which stands in a noun phrase, the verb."""
    if names[0] not in ("WHNP", "WHADVP") or len(names) == 1:
        return None
    mother = tree.parents[tree.parents[below[0]]]
    is_relative = mother >= 0 and kind_of(tree, mother) in NOUNS
    if is_relative or words_below(tree, below[0])[0] not in ASKS:
        return None
    return 0


def _verb(tree: Tree, below: Sequence[int], names: Sequence[str]) -> int | None:
    """ "there is tea": the verb, no copula."""
    mother = tree.parents[tree.parents[below[0]]]
    if "VP" in names or mother < 0:
        return None
    if not any(_is_there(tree, c) for c in tree.children[mother]):
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
