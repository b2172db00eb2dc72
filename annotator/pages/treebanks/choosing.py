"""A step that was refused; and two gold trees of a sentence, to choose from."""

from collections import Counter
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from django.http import QueryDict

from annotator.errors import Refusal
from annotator.models import Parse, Sentence, TreeDraft
from annotator.models.projects import Anybody
from annotator.services.parses import drafts, gold, retyping
from core.data.tree import Tree
from core.errors import GemelError
from core.trees import editing
from core.trees.arcs import Arcs

Json = dict[str, Any]
MOST = 12  # differences that are listed


def refused(
    refusal: Refusal, sentence: Sentence, sent: QueryDict, by: Anybody, page: str
) -> Json:
    """What was refused, at its place, with what had been typed; and the choice there
    is, where someone saved another gold tree meanwhile."""
    is_typed = sent.get("op") == "replace"
    shown = {
        "refusal": refusal,
        "facts": refusal.facts,
        "typed": sent.get("text", "") if is_typed else "",
    }
    kind = Parse.Kind.DEPENDENCY if page == "arcs" else Parse.Kind.CONSTITUENCY
    draft = drafts.draft_of(sentence, by, kind)
    if draft is None or "gold" not in refusal.facts:
        return shown
    return shown | {"choice": _of_gold(draft, refusal)}


def _of_gold(draft: TreeDraft, refusal: Refusal) -> Json:
    """What either tree has and the other has not."""
    theirs = gold.gold_of(draft.sentence, draft.kind)
    try:
        there = _parts(retyping.tree_of(theirs)) if theirs else Counter()
    except GemelError:
        there = Counter()
    here = _parts(retyping.tree_of(draft))
    return {
        "who": theirs.author if theirs else None,
        "theirs": _listed((there - here).elements()),
        "mine": _listed((here - there).elements()),
        "sent": {
            "uuid": uuid4(),
            "base_rev": draft.revision,
            "gold": refusal.facts["gold"],
        },
    }


def _parts(made: Tree | Arcs) -> Counter[str]:
    """What two trees are compared by, in words: phrases, or arcs."""
    if isinstance(made, Tree):
        return Counter(editing.name_of(made, v) for v in range(len(made)))
    deps, words = made.deps, made.words
    rows = zip(words, deps.heads, deps.labels, strict=True)
    return Counter(
        f"{m + 1} “{word}” {relation} “{words[head] if head >= 0 else ''}”"
        for m, (word, head, relation) in enumerate(rows)
    )


def _listed(parts: Iterable[str]) -> list[str]:
    rows = list(parts)
    return [*rows[:MOST], "…"] if len(rows) > MOST else rows
