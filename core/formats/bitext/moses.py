"""Moses: two text files, a line each for the same pair, and perhaps their links.

    text   = { token }         separated by spaces; an empty line: no counterpart
    links  = { i "-" j }       Pharaoh, source-target, from 0; see ``pharaoh``

All files have the same number of lines. With ``cut`` the text is not tokenised yet and
has no links.
"""

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from core.errors import FormatError
from core.formats.bitext.records import BitextRecord, Cut, checked_links, plain
from core.formats.records import BadLine, bad

_ENDED = "\0"  # no line of links


def read(
    sources: Iterable[str],
    targets: Iterable[str],
    links: Iterable[str] | None = None,
    *,
    cut_source: Cut | None = None,
    cut_target: Cut | None = None,
) -> Iterator[BitextRecord | BadLine]:
    """A record for each line; a file that ends before the others is a BadLine."""
    third = None if links is None else iter(links)
    number = -1
    for number, (source, target) in enumerate(zip_longest(sources, targets)):
        linked = None if third is None else next(third, _ENDED)
        if source is None or target is None or linked is _ENDED:
            yield _uneven(number + 1)
            return
        try:
            yield _record(number, source, target, linked, cut_source, cut_target)
        except FormatError as error:
            yield bad(error, line=number + 1, excerpt=source)
    if third is not None and next(third, None) is not None:
        yield _uneven(number + 2)


def _uneven(line: int) -> BadLine:
    return BadLine(
        line,
        1,
        "one of the files ends here, the others go on",
        "give all files the same number of lines; an empty line stands for no "
        "counterpart",
    )


def _record(
    number: int,
    source: str,
    target: str,
    links: str | None,
    cut_source: Cut | None,
    cut_target: Cut | None,
) -> BitextRecord:
    line = number + 1
    sides = (
        plain(source.rstrip("\r\n"), cut_source, line=line),
        plain(target.rstrip("\r\n"), cut_target, line=line),
    )
    if links is not None:
        links = checked_links(links.rstrip("\r\n"), *sides, line=line)
    return BitextRecord(number, *sides, links, line)
