"""The page where a constituent tree is edited: drawing, table and brackets."""

from collections import Counter
from typing import Any
from uuid import uuid4

from annotator import access
from annotator.models import Parse, Sentence, TreeDraft
from annotator.models.projects import Anybody
from annotator.services.parses import drafts, gold
from annotator.svg import editable
from core.data.tree import Tree
from core.layout.links import LinkedSide, parse_scene
from core.trees import brackets

__all__ = ["shown", "text_of"]

Json = dict[str, Any]


def shown(sentence: Sentence, by: Anybody, *, base: str = "") -> Json:
    """All that the page shows; without a draft, the tree that one would begin as.

    Raises BadRequest on a ``base`` that there is not.
    """
    draft = drafts.draft_of(sentence, by)
    parse = drafts.starting(sentence, by, base) if draft is None else draft.base
    tree = draft.to_tree() if draft else drafts.tree_at_start(sentence, parse)
    project = sentence.corpus.project
    former = gold.gold_of(sentence)
    return {
        "project": project,
        "corpus": sentence.corpus,
        "sentence": sentence,
        "draft": draft,
        "base": parse,
        "rows": _rows(tree),
        "svg": _svg(sentence, tree),
        "brackets": brackets.shown(tree),
        "labels": [name for name, _ in Counter(tree.labels).most_common() if name],
        "uuid": uuid4(),
        "gold": former.code if former else "",
        "may_edit": access.may(by, "annotate", project),
        "may_gold": access.may(by, "curate", project),
        "sources": _sources(sentence, by),
    } | _state(draft)


def _state(draft: TreeDraft | None) -> Json:
    if draft is None:
        return {"revision": 0, "at": 0, "undo": "", "redo": ""}
    steps, last = drafts.steps_of(draft), draft.events.last()
    return {
        "revision": draft.revision,
        "at": last.done.get("focus", 0) if last else 0,
        "undo": steps.undo.op if steps.undo else "",
        "redo": steps.redo.op if steps.redo else "",
        "events": draft.events.order_by("-revision")[:20],
    }


def _sources(sentence: Sentence, by: Anybody) -> list[Parse]:
    """The trees that the brackets may be filled with."""
    rows = Parse.objects.readable_by(by, sentence.corpus.project)
    rows = rows.filter(sentence=sentence, kind=Parse.Kind.CONSTITUENCY)
    return list(rows.select_related("author").order_by("origin", "engine", "rank"))


def _rows(tree: Tree) -> list[Json]:
    """The table twin: a node a row, in preorder."""
    return [
        {
            "v": v,
            "label": tree.labels[v],
            "depth": min(tree.depth(v), 12),
            "is_leaf": tree.is_leaf(v),
            "words": tree.forms[v]
            or " ".join(tree.words[token] for token in tree.yield_of(v)),
            "edge": tree.edges[v] if tree.edges else "",
        }
        for v in range(len(tree))
    ]


def _svg(sentence: Sentence, tree: Tree) -> str:
    scene = parse_scene(LinkedSide(tuple(sentence.forms), tree, None))
    return editable.draw(scene, tree, title=f"Tree over: {sentence.text}")


def text_of(sentence: Sentence, by: Anybody, code: str) -> str:
    """The brackets of another tree of the sentence; raises BadRequest."""
    parse = drafts.starting(sentence, by, code)
    return brackets.shown(drafts.tree_at_start(sentence, parse))
