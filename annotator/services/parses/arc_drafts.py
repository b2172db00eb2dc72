"""Arcs edited by hand: drafts of dependency trees. Steps and their ledger are those of
``drafts``; this module defines a draft's start, how a step is read, and the parser's
uncertainty after some heads are decided."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from django.db import transaction

from annotator.models import Origin, Parse, Sentence, TreeDraft
from annotator.models.projects import Anybody
from annotator.services.parses import consequences, drafts, retyping
from annotator.services.parses.drafts import WALKS, DraftStep
from annotator.services.parses.gold import gold_of
from core.data.tokens import Token
from core.dependencies.mst import arcs_under, decided_heads, tree_marginals
from core.errors import FormatError, InvalidValue
from core.formats.forest_npz import StoredForest
from core.trees import arcs
from core.trees.arc_lines import Arcs, ArcsEdit
from core.trees.arcs import Restore

KIND = Parse.Kind.DEPENDENCY
OPS = (*(op for op in arcs.OPS if op != Restore.op), *WALKS)
"""What a person sends; lines over other words come by undo alone."""


def draft_of(sentence: Sentence, by: Anybody) -> TreeDraft | None:
    return drafts.draft_of(sentence, by, KIND)


def arcs_at_start(sentence: Sentence, base: Parse | None) -> Arcs:
    """Those of ``base``, on the present words of the sentence; without it, all words
    depend on the first. A parser's arcs keep other columns of the gold lines: lemmas,
    features, ranges, enhanced arcs, notes."""
    known = _arcs(base, sentence) if base else None
    if known and base and base.origin == Origin.ENGINE:
        gold = gold_of(sentence, KIND)
        rich = _arcs(gold, sentence) if gold else None
        return rich.with_arcs_of(known) if rich else known
    if known:
        return known
    return arcs.started(tuple(Token(form) for form in sentence.forms))


def _arcs(parse: Parse, sentence: Sentence) -> Arcs | None:
    """Those of a parse, on the words that the sentence has now; None where they cannot
    be read, or are of other words."""
    try:
        made: Arcs = retyping.up_to_date(sentence, parse, Arcs(parse.text))
    except (FormatError, InvalidValue):
        return None
    return made


@transaction.atomic
def start(sentence: Sentence, *, by: Anybody, base: str = "") -> TreeDraft:
    """The person's draft of the arcs of this sentence, created if there is none.

    Raises NotAllowed, BadRequest; Conflict if the sentence was undone.
    """

    def made(parse: Parse | None) -> tuple[str, dict[str, Any]]:
        comments = parse.meta.get("comments") if parse else None
        meta = {"comments": comments} if comments else {}
        return arcs_at_start(sentence, parse).lines, meta

    return drafts.begin(sentence, KIND, made, by=by, base=base)


def decided(draft: TreeDraft) -> dict[int, int]:
    """By word the head that the person's steps have decided; none once words were split
    or joined."""
    if retyping.has_cuts(draft):
        return {}
    heads = (tree.deps.heads for tree in retyping.trees_of(draft))
    played = zip(draft.events.order_by("revision"), pairwise(heads), strict=True)
    return decided_heads(
        (*heads, -1 if event.op == arcs.Replace.op else event.done["focus"])
        for event, heads in consequences.standing(played)
        if event.op != arcs.Retype.op  # a word decides no head
    )


def chances(
    tree: Arcs, stored: StoredForest | None, decided: Mapping[int, int]
) -> dict[int, float]:
    """The parser's probability of each head, given the person's decisions; none where
    it stored no weights of arcs."""
    deps = tree.deps
    if stored is None or stored.arcs is None or len(stored.arcs) != len(deps) + 1:
        return {}
    p_arcs = tree_marginals(arcs_under(stored.arcs, decided))
    if not p_arcs.any():  # several roots: what is decided fits no tree of the parser's
        p_arcs = tree_marginals(stored.arcs)
    return {
        m: 1.0 if m in decided else float(p_arcs[h + 1, m + 1])
        for m, h in enumerate(deps.heads)
    }


def read_step(sent: Mapping[str, Any], tree: Arcs) -> DraftStep:
    """The step that was sent, read against the arcs that the person saw.

    Raises BadRequest, in lines with ``line`` and ``column``.
    """

    def operation(op: str) -> ArcsEdit:
        if op == arcs.Replace.op:
            return arcs.typed(str(sent.get("text", "")), tree)
        return arcs.read(sent)

    return DraftStep.of(sent, OPS, operation)
