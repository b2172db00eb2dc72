"""Features of a sentence's text that a model reads before it scores phrases."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

Span = tuple[int, int]

CLOSING = {"(": ")", "[": "]", "-LRB-": "-RRB-", "-LSB-": "-RSB-"}
RARE_PIECES, TECHNICAL_SHARE = 3, 0.1
SYMBOLIC = re.compile(r"(?=.*[^\W\d_])(?=.*\d).+|.*[α-ωΔ°μ×±′].*")
DASHES = frozenset("-–−‐")
# one sign a word: W a word, h a hyphen, / a slash, s a sign (+, -), c a colon
GENOTYPE = r"(?:h?[sh]/[sh]|/s)"
NAME = re.compile(rf"W(?:(?:{GENOTYPE})?(?:[h/]|cc)W|{GENOTYPE})+")


@dataclass(frozen=True)
class Reading:
    """Words with Penn tags, the best dependency tree, and word pieces.

    ``heads[i]``: the word's head, -1 for the root; ``labels``: UD relations; both empty
    where the model has no arcs. ``pieces[i]``: into how many pieces the vocabulary
    cuts the word, empty if that is not known.
    """

    words: Sequence[str]
    tags: Sequence[str]
    heads: Sequence[int] = ()
    labels: Sequence[str] = ()
    pieces: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.words)

    def is_noun(self, i: int) -> bool:
        return self.tags[i].startswith("NN")

    @cached_property
    def is_technical(self) -> bool:
        """Whether one word in ten is rare, a formula or a symbol: three pieces or
        more, letters mixed with digits, or Greek letters and signs of measure."""
        with_letters = [i for i, word in enumerate(self.words) if _has_letter(word)]
        odd = [
            i
            for i in with_letters
            if (self.pieces and self.pieces[i] >= RARE_PIECES)
            or SYMBOLIC.fullmatch(self.words[i])
        ]
        return bool(odd) and len(odd) >= TECHNICAL_SHARE * len(with_letters)

    @cached_property
    def subtrees(self) -> tuple[Span, ...]:
        """First and one past the last word of each word's subtree. O(n depth)."""
        low, high = list(range(len(self))), list(range(1, len(self) + 1))
        for i in range(len(self)):
            for v in self.line(i):
                low[v], high[v] = min(low[v], i), max(high[v], i + 1)
        return tuple(zip(low, high, strict=True))

    def is_whole(self, i: int) -> bool:
        """Whether the words of the subtree of ``i`` are all those of its span."""
        low, high = self.subtrees[i]
        return all(v == i or i in self.line(v) for v in range(low, high))

    def line(self, i: int) -> Iterator[int]:
        """The words above ``i``, from its head up."""
        above = self.heads[i] if self.heads else -1
        while above >= 0:
            yield above
            above = self.heads[above]


def bracketed(words: Sequence[str]) -> Iterator[Span]:
    """The ranges from an opening bracket to after its closing one, inner ones first."""
    waiting: list[tuple[int, str]] = []
    for k, word in enumerate(words):
        if word in CLOSING:
            waiting.append((k, CLOSING[word]))
        elif waiting and word == waiting[-1][1]:
            yield waiting.pop()[0], k + 1


def names(reading: Reading) -> Iterator[Span]:
    """Words joined by hyphens, slashes or double colons, with the following signs of a
    genotype: "B6 / J", "Pax6 + / -", "Lhx2 : : cre"."""
    pairs = zip(reading.words, reading.tags, strict=True)
    signs = "".join(_sign(word, tag) for word, tag in pairs)
    for match in NAME.finditer(signs):
        yield match.span()


def _sign(word: str, tag: str) -> str:
    if word in DASHES:
        return "h" if tag in ("HYPH", "SYM") else "s"
    is_word = any(map(str.isalnum, word)) or tag[:2] in ("NN", "JJ", "CD", "FW")
    return {"/": "/", "+": "s", ":": "c"}.get(word, "W" if is_word else ".")


def acronyms(words: Sequence[str]) -> Iterator[Span]:
    """Bracketed short forms of the preceding words: "brown bread bag ( BBB )".

    Its letters must occur in that order in at most twice as many words, the first at
    the beginning of one. Schwartz & Hearst 2003, "A Simple Algorithm for Identifying
    Abbreviation Definitions in Biomedical Text".
    """
    for start, end in bracketed(words):
        short = words[start + 1]
        if start and end - start == 3 and 2 <= len(short) <= 10 and short[0].isalnum():
            reach = min(len(short) + 5, 2 * len(short))
            if _stands_for(short, " ".join(words[max(0, start - reach) : start])):
                yield start, end


def _stands_for(short: str, long: str) -> bool:
    letters, text = [c for c in short.lower() if c.isalnum()], long.lower()
    at = len(text) - 1
    for k, letter in reversed(list(enumerate(letters))):
        while at >= 0 and (
            text[at] != letter or (k == 0 and at > 0 and text[at - 1].isalnum())
        ):
            at -= 1
        if at < 0:
            return False
        at -= 1
    return _has_letter(short)


def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))
