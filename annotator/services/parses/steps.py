"""Drafts as plain values; their steps as they are stored, and what a corpus allows."""

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from annotator.exchange.registry import FORMATS
from annotator.models import Corpus, Parse, TreeDraft, TreeEvent
from annotator.services.changes import Steps, walk
from annotator.services.parses.retyping import tree_of
from core.data.tree import Tree
from core.errors import InvalidValue
from core.trees import arcs, brackets, editing
from core.trees.arc_lines import Arcs, ArcsEdit
from core.trees.editing import Move
from core.trees.stepping import Restore, TreeEdit


def steps_of(draft: TreeDraft) -> Steps[TreeEvent]:
    return walk(TreeEvent.objects.filter(draft=draft))


def snapshot(draft: TreeDraft) -> dict[str, Any]:
    """A draft for programs, as plain values."""
    is_arcs = draft.kind == Parse.Kind.DEPENDENCY
    steps, last = steps_of(draft), draft.events.last()
    return {
        "code": draft.code,
        "sentence": draft.sentence.code,
        "revision": draft.revision,
        **state(draft.to_arcs() if is_arcs else draft.to_tree()),
        "at": last.done.get("focus", 0) if last else 0,
        "undo": steps.undo.op if steps.undo else "",
        "redo": steps.redo.op if steps.redo else "",
    }


def state(made: Tree | Arcs) -> dict[str, Any]:
    """A tree of either kind: its text, and its nodes or arcs."""
    return _arcs(made) if isinstance(made, Arcs) else _nodes(made)


def _nodes(tree: Tree) -> dict[str, Any]:
    nodes = [
        {
            "id": v,
            "label": tree.labels[v],
            "mother": tree.parents[v] if v else None,
            "words": list(tree.yield_of(v)),
            "form": tree.forms[v],
        }
        for v in range(len(tree))
    ]
    edges = secondary(tree)
    return {"text": brackets.shown(tree), "nodes": nodes, "secondary": edges}


def secondary(tree: Tree) -> list[dict[str, Any]]:
    """The secondary edges for programs."""
    names = ("node", "target", "label")
    return [dict(zip(names, one, strict=True)) for one in tree.secondary]


def _arcs(arcs: Arcs) -> dict[str, Any]:
    deps = arcs.deps
    rows = [
        {"token": m, "form": form, "head": deps.heads[m], "relation": deps.labels[m]}
        for m, form in enumerate(arcs.words)
    ]
    return {"text": arcs.lines, "arcs": rows}


VIEW = "view"  # draw it again, folded in another way
KEEP = "keep"  # what someone sends who leaves their step for what is there
AnyEdit = TreeEdit | ArcsEdit


def read_edit(draft: TreeDraft, stored: Any) -> AnyEdit:
    """An operation as the ledger has it."""
    is_arcs = draft.kind == Parse.Kind.DEPENDENCY
    return arcs.read(stored) if is_arcs else editing.read(stored)


def restoring(tree: Any) -> AnyEdit:
    """The operation that leads back to this tree, of either kind."""
    return arcs.Restore(tree.lines) if isinstance(tree, Arcs) else Restore(tree)


def tree_seen(draft: TreeDraft, revision: int) -> Any:
    """The tree of a former revision; the present one where there is none such."""
    made = tree_of(draft)
    since = draft.events.filter(revision__gt=revision).order_by("-revision")
    for event in since if revision < draft.revision else ():
        made = read_edit(draft, event.back).on(made).tree
    return made


def allowed(operation: AnyEdit, tree: Any, corpus: Corpus) -> AnyEdit:
    """The operation; a move that makes the first gap of a tree, where a file of the
    corpus came in a format that holds gaps. Raises InvalidValue where none did."""
    if not isinstance(operation, Move) or operation.gap:
        return operation
    if not operation.makes_gap(tree):
        return operation
    names = {entry["format"] for entry in corpus.meta.get("files", ())}
    formats = [FORMATS[name] for name in sorted(names) if name in FORMATS]
    if any(one.holds_gaps for one in formats):
        return replace(operation, gap=True)
    facts = {
        "node": editing.name_of(tree, operation.node),
        "mother": editing.name_of(tree, operation.mother),
        "formats": ", ".join(one.title for one in formats) or _("brackets"),
    }
    reason = _(
        "%(mother)s is not next to %(node)s. Its words would be separated by other "
        "words, which this corpus’s format (%(formats)s) cannot hold. Move it in "
        "steps, or move the words between them first."
    )
    raise InvalidValue(reason % facts)
