"""Options of a figure, the same on the page, in the API and in commands."""

import re
from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.forms import refuse_unknown
from annotator.pages.figures.material import (
    CHOICES,
    OF_PAIRS,
    FigureOptions,
    NodeChoice,
)

KNOWN = frozenset({*CHOICES, "across", "folded", "nodes"})
MAX_NODES = 40
_NODE = re.compile(r"([st])([0-9]{1,5})(?:-([0-9]{1,5}))?")
_FOLDED = re.compile(r"[st][0-9]{1,5}")


def options_of(
    query: Mapping[str, str], also: Iterable[str] = (), *, of_pair: bool = True
) -> FigureOptions:
    """Raises BadRequest, naming what is known, at a name or a value that is not;
    ``also``: names that the caller reads itself; ``of_pair``: it is a pair's figure."""
    known = KNOWN if of_pair else KNOWN - OF_PAIRS
    refuse_unknown(query, {*known, *also})
    sent = {name: choice(name, query.get(name, ""), CHOICES[name]) for name in CHOICES}
    chosen = {name: value for name, value in sent.items() if value}
    return FigureOptions(
        **chosen,
        across=choice("across", query.get("across", ""), ("0", "1")) == "1",
        folded=_folded(query.get("folded", "")),
        nodes=nodes_of(query.get("nodes", "")),
    )


def choice(name: str, value: str, known: Iterable[str]) -> str:
    """The value, or "" where none was sent. Raises BadRequest, naming what is known."""
    known = list(known)
    if value and value not in known:
        raise BadRequest(
            _("%(name)s: unknown value %(value)s. Known values: %(known)s.")
            % {"name": name, "value": repr(value[:40]), "known": ", ".join(known)},
            field=name,
            known=known,
        )
    return value


def nodes_of(text: str) -> tuple[NodeChoice, ...]:
    """Nodes by their words, as in "s1-2 t6": those of the source over the words 1 and
    2, that of the target over word 6. Raises BadRequest."""
    parts = re.split(r"[\s.,]+", text.strip()[:1000]) if text.strip() else []
    matches = [_NODE.fullmatch(part) for part in parts]
    nodes = [
        NodeChoice("s" if m[1] == "s" else "t", int(m[2]) - 1, int(m[3] or m[2]))
        for m in matches
        if m
    ]
    is_right = all(0 <= one.start < one.end for one in nodes)
    if len(nodes) < len(parts) or len(nodes) > MAX_NODES or not is_right:
        raise BadRequest(
            _(
                "Nodes are named by their words, such as s1-2 t6: side (s or "
                "t), first and last word, counted from 1; at most %(n)s."
            )
            % {"n": MAX_NODES},
            field="nodes",
        )
    return tuple(nodes)


def _folded(text: str) -> frozenset[str]:
    refs = [ref for ref in text.split(".") if ref]
    if not all(_FOLDED.fullmatch(ref) for ref in refs):
        reason = _("Folded phrases are listed as s5.t12: side and number of each.")
        raise BadRequest(reason, field="folded")
    return frozenset(refs)
