r"""Parallel text as a table: a pair a line, no header, no quotes.

    row = source \t target { \t column }

An empty cell: no counterpart. ``linked``: the third column holds Pharaoh links, else
further columns are left out.
"""

from collections.abc import Iterable, Iterator

from core.errors import FormatError
from core.formats.bitext.records import BitextRecord, Cut, checked_links, plain
from core.formats.records import BadLine, bad, numbered


def read(
    lines: Iterable[str],
    *,
    linked: bool = False,
    cut_source: Cut | None = None,
    cut_target: Cut | None = None,
) -> Iterator[BitextRecord | BadLine]:
    """A record for each row."""
    least = 3 if linked else 2
    for line, text, _ in numbered(lines):
        cells = text.split("\t")
        try:
            if len(cells) < least:
                raise FormatError(
                    f"columns: {len(cells)}; expected {least}",
                    line=line,
                    column=len(text) + 1,
                    remedy="separate source, target and links by single tabs",
                )
            source = plain(cells[0], cut_source, line=line)
            start = len(cells[0]) + 2
            target = plain(cells[1], cut_target, line=line, column=start)
            links = None
            if linked:
                links = checked_links(cells[2], source, target, line=line)
            yield BitextRecord(line - 1, source, target, links, line)
        except FormatError as error:
            yield bad(error, line=line, excerpt=text)
