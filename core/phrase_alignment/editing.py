"""Operations on an alignment as values; every step can be undone.

A step turns one Draft into the next. What it changed is a *delta*: the parts it took
away and the parts it put in, section by section. ``revert`` exchanges the two, so undo
needs to know nothing about the kinds of step.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from core.data import remap
from core.data.alignment import Alignment, Kind, Link, Ref
from core.data.tree import Tree
from core.errors import Contradiction, InvalidValue

Row = dict[str, Any]
Delta = Mapping[str, Mapping[str, Any]]
SideName = Literal["s", "t"]
_EMPTY: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Draft:
    """One layer while it is worked on.

    ``parked``: links and nulls whose phrases the present trees lack, each a dict with
    ``s`` and ``t`` (one alone for a null): a ref, or the place (``remap.Place``, as a
    list) of the missing phrase; and ``kind``, ``crossing``, ``attrs``. ``ignored``:
    problem key to note. ``rejected``: "layer s t" to the reason why that layer's link
    was not taken; "proposal 3-5 2-6" of the aligner's, over the words of any tree.
    ``brackets``: "s 3-5" to "must-bracket" or "cannot-bracket", what the aligner's
    tree has to hold. ``trees``: codes of the two parses, "" for none.
    """

    alignment: Alignment = field(default_factory=Alignment)
    parked: tuple[Mapping[str, Any], ...] = ()
    ignored: Mapping[str, str] = field(default_factory=dict)
    rejected: Mapping[str, str] = field(default_factory=dict)
    trees: tuple[str, str] = ("", "")
    brackets: Mapping[str, str] = field(default_factory=dict)


def put_link(draft: Draft, link: Link, *, keep_others: bool = False) -> Draft:
    """Add this link; it replaces the other links of its nodes, unless
    ``keep_others``."""
    old = draft.alignment
    if not keep_others:
        old = old.without(source=[link.source], target=[link.target])
    return replace(draft, alignment=old.with_link(link))


def unlink(draft: Draft, source: Ref, target: Ref) -> Draft:
    """Remove the link on this cell; raises InvalidValue if there is none."""
    kept = tuple(k for k in draft.alignment.links if k.cell != (source, target))
    if len(kept) == len(draft.alignment.links):
        raise InvalidValue(f"there is no link {source}-{target}")
    return replace(draft, alignment=replace(draft.alignment, links=kept))


def clear(draft: Draft, source: Iterable[Ref], target: Iterable[Ref]) -> Draft:
    """These nodes back to undecided."""
    left = draft.alignment.without(source=source, target=target)
    return replace(draft, alignment=left)


def put_null(draft: Draft, source: Iterable[Ref], target: Iterable[Ref]) -> Draft:
    """These nodes have no counterpart; their links go."""
    left = draft.alignment.with_null(source=source, target=target)
    return replace(draft, alignment=left)


def mark_kind(
    draft: Draft,
    source: Ref,
    target: Ref,
    *,
    kind: Kind | None = None,
    crossing: bool | None = None,
) -> Draft:
    """The link on this cell as sure or possible, as crossing or not.

    Raises InvalidValue if there is none.
    """
    links = [k for k in draft.alignment.links if k.cell == (source, target)]
    if not links:
        raise InvalidValue(f"there is no link {source}-{target}")
    link = replace(
        links[0],
        kind=kind or links[0].kind,
        crossing=links[0].crossing if crossing is None else crossing,
    )
    return replace(draft, alignment=draft.alignment.with_link(link))


def accept(draft: Draft, links: Iterable[Link]) -> Draft:
    """Add those of ``links`` whose two nodes are both undecided, in order."""
    alignment = draft.alignment
    for link in links:
        taken_s = {k.source for k in alignment.links} | alignment.null_source
        taken_t = {k.target for k in alignment.links} | alignment.null_target
        if link.source not in taken_s and link.target not in taken_t:
            alignment = alignment.with_link(link)
    return replace(draft, alignment=alignment)


def ignore(draft: Draft, key: str, note: str | None) -> Draft:
    """Ignore the problem of this key with a note; None withdraws that."""
    rest = {k: v for k, v in draft.ignored.items() if k != key}
    return replace(draft, ignored=rest if note is None else rest | {key: note})


def bracket(draft: Draft, place: str, rule: str) -> Draft:
    """Decide this phrase ("s 3-5"); an empty ``rule`` withdraws that."""
    rest = {k: v for k, v in draft.brackets.items() if k != place}
    return replace(draft, brackets=rest | {place: rule} if rule else rest)


def reject(draft: Draft, layer: str, source: Ref, target: Ref, reason: str) -> Draft:
    """Reject that layer's link, with a reason."""
    named = f"{layer} {source} {target}"
    return replace(draft, rejected={**draft.rejected, named: reason})


def switch_tree(
    draft: Draft, side: SideName, code: str, old: Tree | None, new: Tree | None
) -> Draft:
    """Return the draft on another tree of one side, or on its words alone (None).

    Phrases are found again by their words, label and rank, and by their number in a
    tree that differs in labels alone; what is not there is parked, and what was parked
    returns as soon as its phrases are there. Links of words stay.
    """
    was = {} if old is None else {v: place for place, v in remap.places(old).items()}
    if new is None:
        there: dict[remap.Place, int] = {}
    else:
        there = remap.places(new) if old is None else remap.across(old, new)
    alignment, parked = Alignment(), []
    for row in (_moved(row, side, was, there) for row in rows(draft)):
        joined = _joined(alignment, row)
        if joined is None:
            parked.append(row)
        else:
            alignment = joined
    trees = (code, draft.trees[1]) if side == "s" else (draft.trees[0], code)
    ordered = tuple(sorted(parked, key=_park_key))
    return replace(draft, alignment=alignment, parked=ordered, trees=trees)


def delta(old: Draft, new: Draft) -> tuple[Delta, Delta]:
    """What ``new`` removed from ``old``, and what it added."""
    was, now = _sections(old), _sections(new)
    before = {name: _missing(was[name], now[name]) for name in was}
    after = {name: _missing(now[name], was[name]) for name in was}
    return _filled(before), _filled(after)


def revert(draft: Draft, before: Delta, after: Delta) -> Draft:
    """The draft with ``after`` taken out and ``before`` put back.

    Raises Contradiction if something of ``after`` has changed since, or if what comes
    back does not go with what has come in between.
    """
    sections = _sections(draft)
    for name, parts in after.items():
        for key, value in parts.items():
            if sections[name].pop(key, None) != value:
                raise Contradiction("this has changed since then")
    for name, parts in before.items():
        for key in parts:
            if key in sections[name]:
                raise Contradiction("another decision has replaced it")
        sections[name].update(parts)
    try:
        return _draft(sections)
    except InvalidValue as error:
        raise Contradiction(str(error)) from error


def rows(draft: Draft) -> list[Row]:
    """All links, nulls and, last, parked things in one shape."""
    a = draft.alignment
    found: list[Row] = [_row(link) for link in a.links]
    found += [{"s": ref} for ref in sorted(a.null_source)]
    found += [{"t": ref} for ref in sorted(a.null_target)]
    return [*found, *map(dict, draft.parked)]


def place_of(end: Any, was: Mapping[int, remap.Place]) -> remap.Place:
    """Where the phrase of a row's end is: a node of the tree ``was``, or parked."""
    if isinstance(end, str):
        return was.get(int(end[1:]), ((), "", 0))
    return tuple(end[0]), end[1], end[2]


def is_here(row: Row) -> bool:
    """Whether all its phrases are in the present trees."""
    return all(isinstance(row[end], str) for end in ("s", "t") if end in row)


def _moved(
    row: Row,
    side: SideName,
    was: Mapping[int, remap.Place],
    there: Mapping[remap.Place, int],
) -> Row:
    """The row with its end on ``side`` as a ref of the new tree, or as a place."""
    end = row.get(side)
    if end is None or (isinstance(end, str) and end.startswith("w")):
        return row
    place = place_of(end, was)
    u = there.get(place)
    gone = [list(place[0]), place[1], place[2]]
    return row | {side: gone if u is None else f"n{u}"}


def _joined(alignment: Alignment, row: Row) -> Alignment | None:
    """With this row, or None if a phrase is missing or was decided otherwise."""
    if not is_here(row):
        return None
    s, t = row.get("s"), row.get("t")
    if s and t:
        if s in alignment.null_source or t in alignment.null_target:
            return None
        return alignment.with_link(link_of(row))
    linked = (
        {k.source for k in alignment.links}
        if s
        else {k.target for k in alignment.links}
    )
    if (s or t) in linked:
        return None
    return alignment.with_null(source=[s] if s else [], target=[t] if t else [])


def _row(link: Link) -> Row:
    row: Row = {"s": link.source, "t": link.target, "kind": link.kind}
    if link.crossing:
        row["crossing"] = True
    if link.attrs:
        row["attrs"] = dict(link.attrs)
    return row


def link_of(row: Mapping[str, Any]) -> Link:
    """The link of a row that has both ends."""
    kind, crossing = row.get("kind", "sure"), bool(row.get("crossing", False))
    return Link(row["s"], row["t"], kind, crossing, row.get("attrs", _EMPTY))


def _park_key(row: Mapping[str, Any]) -> str:
    return json.dumps(row, sort_keys=True)


def _sections(draft: Draft) -> dict[str, dict[str, Any]]:
    a = draft.alignment
    return {
        "links": {f"{k.source} {k.target}": _row(k) for k in a.links},
        "null_source": dict.fromkeys(sorted(a.null_source), True),
        "null_target": dict.fromkeys(sorted(a.null_target), True),
        "parked": {_park_key(row): dict(row) for row in draft.parked},
        "ignored": dict(draft.ignored),
        "rejected": dict(draft.rejected),
        "brackets": dict(draft.brackets),
        "trees": dict(zip(("s", "t"), draft.trees, strict=True)),
    }


def _draft(sections: Mapping[str, Mapping[str, Any]]) -> Draft:
    return Draft(
        Alignment(
            tuple(link_of(row) for row in sections["links"].values()),
            frozenset(sections["null_source"]),
            frozenset(sections["null_target"]),
        ),
        tuple(row for _, row in sorted(sections["parked"].items())),
        dict(sections["ignored"]),
        dict(sections["rejected"]),
        (sections["trees"].get("s", ""), sections["trees"].get("t", "")),
        dict(sections["brackets"]),
    )


def _missing(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in a.items() if b.get(key) != value}


def _filled(sections: Delta) -> Delta:
    return {name: parts for name, parts in sections.items() if parts}
