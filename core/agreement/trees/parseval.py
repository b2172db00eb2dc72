"""PARSEVAL: labelled brackets of a parse against those of the gold tree.

What is scored, exactly:
- a bracket is (start, end, label) of a phrase; both trees' brackets are multisets, and
  matches are their intersection. Tags are no brackets;
- empty elements (-NONE-) and phrases over nothing else are taken out;
- labels are cut at the first of ``-``, ``=``, ``|`` that is not their first sign
  (NP-SBJ-1 is NP); PRT counts as ADVP;
- brackets labelled ROOT, S1, TOP or nothing are not counted, nor are the wrappers
  CAPTION, HEADING, TITLE and CIT of CRAFT;
- tokens whose *gold* tag is one of , . : `` '' are taken out before spans are counted,
  and phrases over nothing else with them. Other punctuation (brackets, HYPH) stays.
  Sentences of punctuation alone are scored as they are: nothing against nothing.

This is evalb with its COLLINS.prm, but for punctuation being found by tag. A sentence
without a parse has no brackets. Black et al. 1991, "A Procedure for Quantitatively
Comparing the Syntactic Coverage of English Grammars".
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.data.tree import Tree
from core.errors import InvalidValue

PUNCTUATION = frozenset({",", ".", ":", "``", "''"})
UNCOUNTED = frozenset({"", "ROOT", "S1", "TOP", "CAPTION", "HEADING", "TITLE", "CIT"})
_CUT = re.compile(r"(?<=.)[-=|]")
Bracket = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Parseval:
    """Counts over any number of sentences; they add up. Shares are 0 to 1."""

    matched: int = 0
    guessed: int = 0
    gold: int = 0
    exact: int = 0
    sentences: int = 0

    def __add__(self, other: "Parseval") -> "Parseval":
        return Parseval(
            self.matched + other.matched,
            self.guessed + other.guessed,
            self.gold + other.gold,
            self.exact + other.exact,
            self.sentences + other.sentences,
        )

    @property
    def precision(self) -> float:
        return self.matched / self.guessed if self.guessed else 0.0

    @property
    def recall(self) -> float:
        return self.matched / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """2 matched / (guessed + gold); 1 where there is nothing to find or say."""
        both = self.guessed + self.gold
        return 2 * self.matched / both if both else 1.0


def compare(gold: Tree, guess: Tree | None) -> Parseval:
    """The counts of one sentence; ``guess`` None: no parse.

    Raises InvalidValue if the two have different numbers of tokens.
    """
    wanted = brackets(gold, gold.tags)
    guessed = brackets(guess, gold.tags) if guess else Counter[Bracket]()
    return Parseval(
        (wanted & guessed).total(),
        guessed.total(),
        wanted.total(),
        int(guess is not None and wanted == guessed),
        1,
    )


def brackets(
    tree: Tree, gold_tags: Sequence[str], *, nodes: Iterable[int] | None = None
) -> Counter[Bracket]:
    """The scored brackets, positions counted without punctuation; ``nodes``: of these
    alone."""
    if tree.n_tokens != len(gold_tags):
        raise InvalidValue(
            f"a tree of {tree.n_tokens} tokens against a gold one of {len(gold_tags)}"
        )
    place = [0]
    for tag in gold_tags:
        place.append(place[-1] + (tag not in PUNCTUATION))
    return Counter(_scored(tree, place, range(len(tree)) if nodes is None else nodes))


def plain_label(label: str) -> str:
    """The category alone: NP-SBJ-1 is NP, PRT is ADVP."""
    category = _CUT.split(label, maxsplit=1)[0]
    return "ADVP" if category == "PRT" else category


def _scored(tree: Tree, place: list[int], nodes: Iterable[int]) -> Iterable[Bracket]:
    for v in nodes:
        start, end = (place[post] for post in tree.spans[v])
        if tree.children[v] and start < end:
            category = plain_label(tree.labels[v])
            if category not in UNCOUNTED:
                yield start, end, category
