"""Running English text to sentences of Penn Treebank tokens, fast and approximate.

For counting words in millions of lines. Text shown to people goes through
``core.text.tokenize``, which keeps token positions.
"""

import re
from collections.abc import Iterable, Iterator

_END = re.compile(r"(?<=[a-z0-9)\]\"'][.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z])")
_TITLE = re.compile(r"(?:^|\s)(?:Mr|Mrs|Ms|Dr|Prof|St|Gen|Col|Sen|Rev|vs|cf|al|Fig)\.$")


def sentences(lines: Iterable[str]) -> Iterator[list[str]]:
    """The tokens of each sentence; a blank line ends a paragraph, and a sentence."""
    from nltk.tokenize import TreebankWordTokenizer  # when it is used: nltk is large

    tokenizer = TreebankWordTokenizer()
    for paragraph in _paragraphs(lines):
        for sentence in _split(paragraph):
            tokens = tokenizer.tokenize(sentence)
            if tokens:
                yield tokens


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    held: list[str] = []
    for line in lines:
        if line.strip():
            held.append(line.strip())
        elif held:
            yield " ".join(held)
            held = []
    if held:
        yield " ".join(held)


def _split(paragraph: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(paragraph):
        if not _TITLE.search(paragraph[start : match.start()]):
            yield paragraph[start : match.end()]
            start = match.end()
    yield paragraph[start:]
