"""Pharaoh alignments next to two text files, a line each for the same pair.

    links    = { link }                 separated by spaces; an empty line: no links
    link     = i "-" j                  sure
             | i "?" j | i "p" j        possible
    text     = { token }                separated by spaces

Positions count from 0. The three files have the same number of lines. ``ipj`` is
written where it was read, ``i?j`` otherwise.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest

from core.data.alignment import Alignment, Link, token_ref
from core.data.tokens import Token
from core.errors import FormatError
from core.formats.records import (
    BadLine,
    Format,
    LayerRecord,
    PairRecord,
    Record,
    SentenceRecord,
    bad,
    clean,
    words,
)

LOSSES = (
    "Parses, phrase links and nulls are left out: a position is a token.",
    "Ids, labels, further columns and the raw text are left out.",
    "Of several layers the first is written; its author is left out.",
    "Spaces within a token are written as underscores.",
)
_LINK = re.compile(r"([0-9]{1,6})([-?p])([0-9]{1,6})")


def parse(
    text: str,
    n_source: int = -1,
    n_target: int = -1,
    *,
    line: int = 0,
    column: int = 1,
) -> Alignment:
    """The links; raises FormatError at a bad one, or one beyond the sentences.

    ``column``: where ``text`` begins in its line. A size of -1 is not checked. A link
    given twice counts once, sure before possible.
    """
    links: dict[tuple[int, int], Link] = {}
    for match in re.finditer(r"\S+", text):
        link_match = _LINK.fullmatch(match.group())
        at = column + match.start()
        if link_match is None:
            raise FormatError(
                f"{match.group()[:30]!r} is not a link",
                remedy="write 0-0 for a sure link, 0?0 for a possible one",
                line=line,
                column=at,
            )
        i, j = int(link_match[1]), int(link_match[3])
        if (n_source >= 0 and i >= n_source) or (n_target >= 0 and j >= n_target):
            raise FormatError(
                f"link {link_match[0]} to a missing token: the sentences have "
                f"{n_source} and {n_target}",
                remedy="positions count from 0; tokens are separated by spaces",
                line=line,
                column=at,
            )
        attrs = {"sign": "p"} if link_match[2] == "p" else {}
        kind = "sure" if link_match[2] == "-" else "possible"
        link = Link(token_ref(i), token_ref(j), kind, attrs=attrs)  # type: ignore[arg-type]
        if kind == "sure" or (i, j) not in links:
            links[i, j] = link
    return Alignment(tuple(links.values()))


def dumps(alignment: Alignment) -> str:
    """The token links, sorted: "0-0 1?2"."""
    shown = []
    for link in alignment.links:
        if link.source[0] == "w" and link.target[0] == "w":
            sign = "-" if link.kind == "sure" else link.attrs.get("sign", "?")
            shown.append(f"{link.source[1:]}{sign}{link.target[1:]}")
    return " ".join(shown)


def read(
    lines: Iterable[str], sources: Iterable[str], targets: Iterable[str]
) -> Iterator[Record | BadLine]:
    """A PairRecord for each line of the three; a file that ends early is a BadLine."""
    for number, three in enumerate(zip_longest(lines, sources, targets), 1):
        links, source, target = (
            part if part is None else part.rstrip("\r\n") for part in three
        )
        if links is None or source is None or target is None:
            yield _uneven(number, links=links, source=source, target=target)
            return
        try:
            record = _pair(links, source, target, number)
            yield replace(record, raw=three[0] or "", line=number)
        except FormatError as error:
            yield bad(error, line=number, excerpt=links)


def write(records: Iterable[Record]) -> Iterator[str]:
    """The file of links; ``write_texts`` gives the two others."""
    for record in records:
        if isinstance(record, PairRecord):
            layer = record.layers[0].alignment if record.layers else Alignment()
            yield record.raw or dumps(layer) + "\n"


def write_texts(sentence: SentenceRecord) -> str:
    """The line of one side."""
    forms = sentence.forms or tuple(words(sentence.text))
    spaced = " ".join("_".join(words(form)) for form in forms)
    same = words(sentence.text) == words(spaced)
    text = sentence.text if same else spaced
    return text.replace("\n", " ") + "\n"  # a line for each sentence


def _pair(links: str, source: str, target: str, number: int) -> PairRecord:
    sides = []
    for name, text in (("source", source), ("target", target)):
        clean(text, line=number)
        tokens = tuple(Token(form) for form in words(text))
        if not tokens:
            raise FormatError(
                f"the {name} is empty",
                line=number,
                column=1,
                remedy="write a sentence, or remove the line from all three files",
            )
        sides.append(SentenceRecord(tokens=tokens, text=text, line=number))
    sizes = len(sides[0].tokens), len(sides[1].tokens)
    layer = LayerRecord(parse(clean(links, line=number), *sizes, line=number))
    return PairRecord(sides[0], sides[1], layers=(layer,))


def _uneven(number: int, **lines: str | None) -> BadLine:
    ended = " and ".join(name for name, line in lines.items() if line is None)
    return BadLine(
        number,
        1,
        f"the file of {ended} ends here, the others go on",
        "give all three files the same number of lines",
    )


FORMAT = Format(
    "pharaoh",
    "Pharaoh links and two texts",
    holds="pairs",
    suffixes=(".align", ".pharaoh", ".links"),
    strictness=2,
    read=read,
    write=write,
    losses=LOSSES,
    example={
        "links.align": "0-0 1-2 2?3\n",
        "source.txt": "She sleeps .\n",
        "target.txt": "She is asleep .\n",
    },
    needs="the links, the source text and the target text",
)
