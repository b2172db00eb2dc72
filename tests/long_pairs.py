"""Pairs of long sentences of our own making (CC0): trees with their gold links.

A sentence is a chain of clauses, each within the one before it; its paraphrase has
other words here and there, and its places in front in every other clause.
"""

from dataclasses import dataclass
from itertools import count

from core.data.alignment import Alignment, Link

WHO = ("nurse", "baker", "pilot", "clerk", "singer", "farmer", "guard", "tailor")
DID = ("opened", "washed", "moved", "painted", "sold", "mended", "drew", "hid")
ALSO = ("raised", "cleaned", "shifted", "coated", "traded", "repaired", "traced", "hid")
WHAT = ("window", "table", "ladder", "fence", "basket", "kettle", "picture", "letter")
WHERE = ("kitchen", "garden", "harbour", "street", "cellar", "village", "attic", "barn")
LIKE = ("old", "small", "quiet", "green", "heavy", "narrow", "bright", "plain")


@dataclass
class _Node:
    label: str
    name: str  # the same on both sides where the two mean the same
    word: str = ""
    below: tuple["_Node", ...] = ()

    def brackets(self) -> str:
        inside = self.word or " ".join(node.brackets() for node in self.below)
        return f"({self.label} {inside})"


@dataclass(frozen=True)
class LongPair:
    """Both bracketings, and the links between their phrases and words."""

    source: str
    target: str
    links: Alignment


def long_pair(n_words: int) -> LongPair:
    """A pair of ``n_words`` words on each side, 9 or more."""
    source, target = (_sentence(n_words, other=other) for other in (False, True))
    here, there = _refs(source), _refs(target)
    links = [Link(ref, there[name]) for name, ref in here.items() if name in there]
    return LongPair(source.brackets(), target.brackets(), Alignment(tuple(links)))


def _sentence(n_words: int, *, other: bool) -> _Node:
    """Clauses of nine words, a full stop, and adjectives for what is left over."""
    n_clauses = n_words // 9
    left = n_words - 9 * n_clauses
    adjectives = [left // n_clauses + (i < left % n_clauses) for i in range(n_clauses)]
    inner: tuple[_Node, ...] = ()
    for i in reversed(range(n_clauses)):
        inner = _clause(i, inner, adjectives[i], other=other)
    return _Node("S", "root", below=(*inner[1:], _Node(".", "stop", ".")))


def _clause(
    i: int, inner: tuple[_Node, ...], n_adjectives: int, *, other: bool
) -> tuple[_Node, ...]:
    """The joining word and the clause: "as the nurse hid the letter in the barn"."""
    pick = i % 8
    like = [LIKE[(i + k) % 8] for k in range(n_adjectives)]
    who = _noun_phrase(f"who{i}", WHO[pick], like)
    what = _noun_phrase(f"what{i}", WHAT[pick], [])
    where = _noun_phrase(f"where{i}", WHERE[(pick + i // 8) % 8], [])
    place = _Node("PP", f"pp{i}", below=(_Node("IN", f"in{i}", "in"), where))
    verb = _Node("VBD", f"did{i}", (ALSO if other else DID)[pick])
    further = (_Node("SBAR", f"sbar{i + 1}", below=inner),) if inner else ()
    if other and i % 2:
        vp = _Node("VP", f"vp{i}", below=(verb, what, *further))
        parts: tuple[_Node, ...] = (place, who, vp)
    else:
        vp = _Node("VP", f"vp{i}", below=(verb, what, place, *further))
        parts = (who, vp)
    join = _Node("IN", f"join{i}", "so" if other else "as")
    return (join, _Node("S", f"s{i}", below=parts))


def _noun_phrase(name: str, noun: str, like: list[str]) -> _Node:
    tags = [_Node("JJ", f"{name}like{k}", word) for k, word in enumerate(like)]
    the = _Node("DT", f"{name}the", "the")
    return _Node("NP", name, below=(the, *tags, _Node("NN", f"{name}noun", noun)))


def _refs(root: _Node) -> dict[str, str]:
    """What each node is called: words by place, phrases by preorder number."""
    refs: dict[str, str] = {}
    numbers, tokens = count(), count()

    def walk(node: _Node) -> None:
        v = next(numbers)
        refs[node.name] = f"w{next(tokens)}" if node.word else f"n{v}"
        for below in node.below:
            walk(below)

    walk(root)
    return refs
