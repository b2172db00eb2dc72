"""A draft as plain values: what is there, and what undo and redo would take."""

from typing import Any

from annotator.models import Parse, TreeDraft, TreeEvent
from annotator.services.undoing import Steps, walk
from core.data.tree import Tree
from core.trees import brackets
from core.trees.arcs import Arcs


def steps_of(draft: TreeDraft) -> Steps[TreeEvent]:
    return walk(TreeEvent.objects.filter(draft=draft))


def snapshot(draft: TreeDraft) -> dict[str, Any]:
    """All that a program must know of a draft, as plain values."""
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
    return {"text": brackets.shown(tree), "nodes": nodes}


def _arcs(arcs: Arcs) -> dict[str, Any]:
    deps = arcs.deps
    rows = [
        {"token": m, "form": form, "head": deps.heads[m], "relation": deps.labels[m]}
        for m, form in enumerate(arcs.words)
    ]
    return {"text": arcs.lines, "arcs": rows}
