"""Records of the parallel-text codecs, and the tokens of a line."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from core.formats.alignments import pharaoh
from core.formats.records import clean, words

Cut = Callable[[str], list[str]]
"""Text to tokens; ``words`` for text that is tokenised already."""

_SIGNS = re.compile(r"\w+(?:['’]\w*)?|[^\w\s]")
_ENTITIES = {
    "&apos;": "'",
    "&quot;": '"',
    "&lt;": "<",
    "&gt;": ">",
    "&#124;": "|",
    "&#91;": "[",
    "&#93;": "]",
    "&bar;": "|",
    "&amp;": "&",
}
_ENTITY = re.compile("|".join(map(re.escape, _ENTITIES)))


@dataclass(frozen=True, slots=True)
class BitextRecord:
    """A pair; a side without tokens has no counterpart.

    ``number``: of the pair in its file, from 0; ``links``: Pharaoh, None if the file
    has none. ``line``: its line, from 1.
    """

    number: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: str | None = None
    line: int = 0


def cut_signs(text: str) -> list[str]:
    """Words with their apostrophes, numbers, and each other sign, of any language."""
    return _SIGNS.findall(text)


def unescaped(text: str) -> str:
    """The text without the entities that Moses' tokeniser writes."""
    return _ENTITY.sub(lambda match: _ENTITIES[match.group()], text)


def plain(text: str, cut: Cut | None, *, line: int, column: int = 1) -> tuple[str, ...]:
    """Return the tokens of a side with ``cut`` None: the text between spaces. Raises
    FormatError at a control character. No token contains white space."""
    tokens = (cut or words)(clean(text, line=line, column=column))
    return tuple(token for one in tokens for token in one.split())


def checked_links(
    text: str, source: tuple[str, ...], target: tuple[str, ...], *, line: int
) -> str:
    """The links, sorted; raises FormatError at a bad one or one beyond the tokens."""
    return pharaoh.dumps(pharaoh.parse(text, len(source), len(target), line=line))
