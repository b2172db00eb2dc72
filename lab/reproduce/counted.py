"""A parser whose training words are counted out of the treebanks it learned from."""

from collections import Counter
from collections.abc import Iterable, Mapping

from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.protocols import Analysis, Capability, ParserBackend

Counts = Mapping[str, Mapping[str, int]]


def counts_of(sentences: Iterable[Iterable[tuple[str, str]]]) -> Counts:
    """By word as written, how often each tag occurred with it; words without a tag are
    left out. Raises InvalidValue if none has one."""
    counts: dict[str, Counter[str]] = {}
    for sentence in sentences:
        for form, tag in sentence:
            if tag:
                counts.setdefault(form, Counter())[tag] += 1
    if not counts:
        raise InvalidValue("the parser's training treebanks have no tagged words")
    return counts


class Counted:
    """``parser``, telling the words of ``counts`` as those it was trained on.

    For a parser that keeps no list of them (a neural one reads pieces of words). It
    does not accept tags, so of the methods of substitution it takes those that replace.
    """

    def __init__(self, parser: ParserBackend, counts: Counts) -> None:
        self.info = parser.info
        self._parser, self._counts = parser, counts

    def lexicon(self) -> Counts:
        return self._counts

    def entry_of(self, form: str) -> str:
        return form

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        return self._parser.analyse(sentences, want=want)
