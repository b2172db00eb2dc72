"""Alignments of a pair: links, nulls, and what is still undecided."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from core.errors import InvalidValue

Kind = Literal["sure", "possible"]
Ref = str
"""A node of one side: ``w3`` is token 3 (its leaf, in any tree), ``n5`` is the phrase
with preorder number 5 of the parse the layer stands on. Words keep their ref when the
parse changes; phrases are remapped by span, label and depth."""


def token_ref(token: int) -> Ref:
    return f"w{token}"


def phrase_ref(node: int) -> Ref:
    return f"n{node}"


def ref_key(ref: Ref) -> tuple[str, int]:
    """Sort key of a ref; raises InvalidValue if it is none."""
    if ref[:1] not in ("w", "n") or not (ref[1:].isascii() and ref[1:].isdigit()):
        raise InvalidValue(
            f"{ref!r} is not a node: write w3 (a token) or n5 (a phrase)"
        )
    return ref[0], int(ref[1:])


@dataclass(frozen=True, slots=True)
class Link:
    """``source`` and ``target`` mean the same.

    ``crossing``: marked as non-compositional: it may break the order of the links
    around it (Arase & Tsujii 2017, section 4.3). ``attrs``: what a format said of
    this link beyond that (author, date, probability), kept for the way out.
    """

    source: Ref
    target: Ref
    kind: Kind = "sure"
    crossing: bool = False
    attrs: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        ref_key(self.source), ref_key(self.target)
        if self.kind not in ("sure", "possible"):
            raise InvalidValue(f"link kind {self.kind!r}: expected sure or possible")

    @property
    def cell(self) -> tuple[Ref, Ref]:
        return self.source, self.target


@dataclass(frozen=True, slots=True)
class Alignment:
    """All decisions about one pair. A node that is in no link and in no null set is
    *undecided*; absence is never read as null.

    ``links`` by cell; ``null_source``, ``null_target``: nodes said to have no
    counterpart. Raises InvalidValue if a node is linked and null at once.
    """

    links: tuple[Link, ...] = ()
    null_source: frozenset[Ref] = frozenset()
    null_target: frozenset[Ref] = frozenset()

    def __post_init__(self) -> None:
        links = sorted(self.links, key=_link_key)
        object.__setattr__(self, "links", tuple(links))
        if len({link.cell for link in links}) != len(links):
            raise InvalidValue("two links of the same two nodes")
        both = {link.source for link in links} & self.null_source
        both |= {link.target for link in links} & self.null_target
        if both:
            raise InvalidValue(f"{min(both)} is linked and null at once")

    def with_link(self, link: Link) -> "Alignment":
        """This, with ``link`` on its cell; nulls on its two nodes are lifted."""
        others = tuple(old for old in self.links if old.cell != link.cell)
        return Alignment(
            (*others, link),
            self.null_source - {link.source},
            self.null_target - {link.target},
        )

    def without(
        self, *, source: Iterable[Ref] = (), target: Iterable[Ref] = ()
    ) -> "Alignment":
        """This, with these nodes back to undecided."""
        s, t = frozenset(source), frozenset(target)
        kept = tuple(
            link for link in self.links if link.source not in s and link.target not in t
        )
        return Alignment(kept, self.null_source - s, self.null_target - t)

    def with_null(
        self, *, source: Iterable[Ref] = (), target: Iterable[Ref] = ()
    ) -> "Alignment":
        """This, with these nodes null; their links are taken away."""
        s, t = frozenset(source), frozenset(target)
        free = self.without(source=s, target=t)
        return replace(
            free, null_source=free.null_source | s, null_target=free.null_target | t
        )

    def to_json(self) -> dict[str, Any]:
        """Plain lists, sorted: the form stored and sent."""
        return {
            "links": [_link_json(link) for link in self.links],
            "null_source": sorted(self.null_source, key=ref_key),
            "null_target": sorted(self.null_target, key=ref_key),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Alignment":
        """Inverse of ``to_json``; raises InvalidValue on anything else."""
        try:
            links = tuple(_link_of(row) for row in data.get("links", ()))
            nulls = [frozenset(data.get(k, ())) for k in ("null_source", "null_target")]
        except (TypeError, ValueError, AttributeError) as error:
            raise InvalidValue(f"not an alignment: {error}") from error
        for ref in (*nulls[0], *nulls[1]):
            ref_key(ref)
        return cls(links, *nulls)


def _link_key(link: Link) -> tuple[tuple[str, int], tuple[str, int]]:
    return ref_key(link.source), ref_key(link.target)


def _link_json(link: Link) -> list[Any]:
    row: list[Any] = [link.source, link.target, link.kind]
    if link.crossing or link.attrs:
        row.append(link.crossing)
    if link.attrs:
        row.append(dict(sorted(link.attrs.items())))
    return row


def _link_of(row: Any) -> Link:
    source, target, kind, *rest = row
    crossing = bool(rest[0]) if rest else False
    return Link(source, target, kind, crossing, rest[1] if len(rest) > 1 else {})
