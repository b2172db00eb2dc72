"""Nodes named by their tokens, as programs know them: ``0:2`` is what stands over just
the tokens 0 and 1, the highest of several."""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import AlignmentLayer
from annotator.services.alignments.layers import tree_of
from core.data.alignment import Ref, token_ref
from core.data.tree import Tree
from core.phrase_alignment.legitimacy import ref_of

_SPAN = re.compile(r"([0-9]{1,5}):([0-9]{1,5})", re.ASCII)


def by_refs(layer: AlignmentLayer, sent: Mapping[str, Any]) -> dict[str, Any]:
    """What was sent, with refs of the layer's trees for spans. Raises BadRequest at one
    that no node covers."""
    pair, told = layer.pair, dict(sent)
    texts = [str(sent.get(name) or "") for name in ("s", "t")]
    texts += [str(end) for row in sent.get("links", ()) for end in row[:2]]
    if not any(":" in text for text in texts):
        return told
    source = tree_of(layer.source_parse, pair.n_source)
    target = tree_of(layer.target_parse, pair.n_target)
    sides = (("s", source, pair.n_source), ("t", target, pair.n_target))
    for name, tree, n_tokens in sides:
        if told.get(name):
            told[name] = _refs(told[name], tree, n_tokens, name)
    if "links" in told:
        told["links"] = [
            tuple(
                _refs(end, tree, n_tokens, "links")
                for end, (_name, tree, n_tokens) in zip(row[:2], sides, strict=True)
            )
            + tuple(row[2:])
            for row in told["links"]
        ]
    return told


def _refs(text: str, tree: Tree | None, n_tokens: int, field: str) -> str:
    return " ".join(_ref(word, tree, n_tokens, field) for word in text.split())


def _ref(name: str, tree: Tree | None, n_tokens: int, field: str) -> Ref:
    span = _SPAN.fullmatch(name)
    if span is None:
        return name
    start, end = int(span[1]), int(span[2])
    words = tuple(range(start, min(end, n_tokens + 1)))
    nodes = range(len(tree)) if tree is not None else ()
    over = (v for v in nodes if tree is not None and tree.yield_of(v) == words)
    first = next(over, None)
    if words and tree is not None and first is not None:
        return ref_of(tree, first)
    if tree is None and len(words) == 1 and start < n_tokens:
        return token_ref(start)
    raise BadRequest(
        _("No node covers just the tokens %(name)s.") % {"name": name}, field=field
    )
