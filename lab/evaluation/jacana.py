"""Word alignments of the Jacana aligner (Yao et al. 2013), as JSON.

    file = [pair, …]
    pair = {"id", "source", "target": tokens split by spaces,
            "sureAlign", "possibleAlign": Pharaoh links i-j from 0, split by spaces}

Other members are left alone.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from core.data.alignment import Alignment, Link
from core.errors import FormatError
from core.formats.alignments import pharaoh
from core.formats.pairs import side
from core.formats.records import BadLine, LayerRecord, PairRecord, bad


def read(lines: Iterable[str]) -> Iterator[PairRecord | BadLine]:
    """A PairRecord with one layer a pair; ``line`` of a bad one is its number."""
    try:
        rows = json.loads("".join(lines))
    except (RecursionError, ValueError) as error:
        yield BadLine(0, 0, f"not JSON: {error}")
        return
    if not isinstance(rows, list):
        yield BadLine(0, 0, "not a list of pairs")
        return
    for number, row in enumerate(rows, 1):
        try:
            yield _pair(row, number)
        except FormatError as error:
            yield bad(error, line=number, excerpt=str(row))


def _pair(row: Any, number: int) -> PairRecord:
    try:
        texts = [str(row[name]) for name in ("source", "target")]
        links = [str(row.get(f"{kind}Align", "")) for kind in ("sure", "possible")]
    except (KeyError, TypeError, AttributeError) as error:
        reason = f"pair {number}: source, target and sureAlign are wanted"
        raise FormatError(reason, line=number) from error
    source, target = (side(text, "text", number, split=True) for text in texts)
    sizes = len(source.tokens), len(target.tokens)
    sure, weak = (pharaoh.parse(text, *sizes, line=number) for text in links)
    cells = {link.cell for link in sure.links}
    possible = [
        Link(link.source, link.target, "possible")
        for link in weak.links
        if link.cell not in cells
    ]
    layer = LayerRecord(Alignment((*sure.links, *possible)))
    return PairRecord(source, target, str(row.get("id", number)), layers=(layer,))
