"""A draft of links mapped to new words of one side after splits and joins.

A link to a word that was split goes to all its parts, and those to words that were
joined to the one; phrases are found again by the words they have now.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from core.data import remap
from core.data.alignment import Alignment, Link
from core.data.tree import Tree
from core.phrase_alignment.editing import Draft, Row, is_here, link_of, place_of, rows
from core.trees.segments import Recut


def reworded(
    draft: Draft,
    side: Literal["s", "t"],
    cut: Recut,
    trees: tuple[Tree | None, Tree | None],
    code: str,
) -> Draft:
    """The draft on the new words of ``side``, standing on the tree of ``code``.

    ``trees``: the current one, over ``cut.was``, and the new one, over ``cut.now``.
    Decisions on phrases that the new one does not have are parked. A word that is
    linked and, as another, null, stays linked.
    """
    old, new = trees
    was = {} if old is None else {v: place for place, v in remap.places(old).items()}
    there = {} if new is None else remap.places(new)
    moved = [row for one in rows(draft) for row in _moved(one, side, cut, was, there)]
    alignment, parked = _gathered(moved)
    at = 0 if side == "s" else 1
    return replace(
        draft,
        alignment=alignment,
        parked=tuple(parked),
        ignored={},  # problems are named by nodes of the former tree
        rejected=_rejected(draft.rejected, at, cut),
        brackets=_brackets(draft.brackets, side, cut),
        trees=(code, draft.trees[1]) if at == 0 else (draft.trees[0], code),
    )


def _moved(
    row: Row,
    side: str,
    cut: Recut,
    was: Mapping[int, remap.Place],
    there: Mapping[remap.Place, int],
) -> list[Row]:
    """The row at its new end, one for each part of a word; a place where the phrase
    is not there."""
    end = row.get(side)
    if end is None:
        return [row]
    if isinstance(end, str) and end.startswith("w"):
        return [row | {side: f"w{i}"} for i in cut.moved(int(end[1:]))]
    place = place_of(end, was)
    words = tuple(dict.fromkeys(i for token in place[0] for i in cut.moved(token)))
    moved = words, place[1], place[2]
    u = there.get(moved)
    return [row | {side: [list(words), *moved[1:]] if u is None else f"n{u}"}]


def _gathered(rows: list[Row]) -> tuple[Alignment, list[Row]]:
    """The rows both of whose ends are there, links before nulls, and the rest."""
    here = [row for row in rows if is_here(row)]
    parked = [row for row in rows if not is_here(row)]
    links: dict[tuple[str, str], Link] = {}
    for row in here:
        if "s" in row and "t" in row:
            link = link_of(row)
            if links.get(link.cell, link).kind != "sure" or link.cell not in links:
                links[link.cell] = link
    nulls = [{row[e] for row in here if e in row and len(row) == 1} for e in ("s", "t")]
    sources, targets = {s for s, _ in links}, {t for _, t in links}
    null = frozenset(nulls[0] - sources), frozenset(nulls[1] - targets)
    return Alignment(tuple(links.values()), *null), parked


def _span(span: str, cut: Recut) -> str:
    """ "3-5", the second not among them, over the new words."""
    first, _dash, last = span.partition("-")
    return f"{cut.moved(int(first))[0]}-{cut.moved(int(last) - 1)[-1] + 1}"


def _brackets(kept: Mapping[str, str], side: str, cut: Recut) -> dict[str, str]:
    moved = {}
    for place, rule in kept.items():
        of, _space, span = place.partition(" ")
        moved[f"{of} {_span(span, cut)}" if of == side else place] = rule
    return moved


def _rejected(kept: Mapping[str, str], at: int, cut: Recut) -> dict[str, str]:
    """Of links that were not taken: those over words move, those of nodes go."""
    moved = {}
    for named, reason in kept.items():
        layer, *ends = named.split(" ")
        if len(ends) == 2 and all("-" in end for end in ends):
            ends[at] = _span(ends[at], cut)
            moved[" ".join([layer, *ends])] = reason
    return moved
