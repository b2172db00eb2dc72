"""One tree changed by two: what was done there, what one was about to do here."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, cast
from uuid import uuid4

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from annotator.errors import Refusal, StaleEdit
from annotator.models import Parse, Sentence, TreeDraft
from annotator.models.projects import Anybody
from annotator.services.parses import drafts, gold, retyping, steps
from core.data.tree import Tree
from core.errors import GemelError
from core.trees import editing
from core.trees.arcs import Arcs

Json = dict[str, Any]
MOST = 12  # differences that are listed
TEXTS = {
    "relabel": gettext_lazy("%(node)s gets the label %(label)s"),
    "relabel_all": gettext_lazy("several nodes get other labels"),
    "insert": gettext_lazy("a new phrase %(label)s from %(first)s to %(last)s"),
    "delete": gettext_lazy("%(node)s is removed"),
    "move": gettext_lazy("%(node)s moves under %(mother)s"),
    "split_phrase": gettext_lazy("%(node)s is split"),
    "join_phrases": gettext_lazy("%(first)s to %(last)s become one phrase"),
    "replace": gettext_lazy("another tree replaces all of it"),
    "restore": gettext_lazy("the words and arcs are as they were before"),
    "retype": gettext_lazy("“%(word)s” becomes “%(form)s”"),
    "split": gettext_lazy("“%(word)s” becomes “%(forms)s”"),
    "join": gettext_lazy("“%(word)s” and the next become one word"),
    "attach": gettext_lazy("“%(word)s” attaches to “%(head)s”"),
    "root": gettext_lazy("“%(word)s” becomes the root"),
    "relation": gettext_lazy("“%(word)s” gets the relation %(relation)s"),
}
WALKS = {
    "undo": gettext_lazy("Undo: %(what)s"),
    "redo": gettext_lazy("Redo: %(what)s"),
    "follow": gettext_lazy("By the parser: %(what)s"),
}


def refused(
    refusal: Refusal, sentence: Sentence, sent: QueryDict, by: Anybody, page: str
) -> Json:
    """What was refused, at its place, with what had been typed; and the choice there
    is, where the tree was changed meanwhile."""
    is_typed = sent.get("op") == "replace"
    shown = {
        "refusal": refusal,
        "facts": refusal.facts,
        "typed": sent.get("text", "") if is_typed else "",
    }
    kind = Parse.Kind.DEPENDENCY if page == "arcs" else Parse.Kind.CONSTITUENCY
    draft = drafts.draft_of(sentence, by, kind)
    if draft is None or not isinstance(refusal, StaleEdit):
        return shown
    is_gold = sent.get("op") == "gold"
    choice = _of_gold(draft, refusal) if is_gold else _of_step(draft, refusal, sent)
    return shown | {"choice": choice | {"op": sent.get("op", ""), "is_gold": is_gold}}


def still_typed(sent: QueryDict) -> str:
    """The brackets or lines of anyone who keeps theirs: they stay in the field."""
    return sent.get("text", "") if sent.get("op") == steps.KEEP else ""


def _of_step(draft: TreeDraft, refusal: StaleEdit, sent: QueryDict) -> Json:
    """What was done since, the step, and what it would be on top."""
    facts, base = refusal.facts, int(sent.get("base_rev", 0))
    tree, theirs = steps.tree_seen(draft, base), []
    mine = _said(draft, sent.get("op", ""), facts["mine"].get("done"), tree)
    for event in facts["theirs"]:
        theirs.append(_said(draft, event["op"], event["done"], tree))
        tree = cast(Any, steps.read_edit(draft, event["done"])).on(tree).tree
    return {
        "theirs": theirs,
        "mine": [mine],
        "why": facts["on_top"].get("why", ""),
        "preview": facts["on_top"].get("text", ""),
        "sent": _again(sent) | {"onto": facts["revision"]},
    }


def _again(sent: QueryDict) -> Json:
    """The fields of the step, as they were sent."""
    left_out = ("csrfmiddlewaretoken", "op", "onto")
    return {name: value for name, value in sent.items() if name not in left_out}


def _said(draft: TreeDraft, op: str, done: Json | None, tree: Any) -> str:
    """A step in words; ``tree``: the one before it."""
    if done is None:
        return str(WALKS[op]) % {"what": "…"} if op in WALKS else op
    what = _what(done, tree)
    return str(WALKS[op]) % {"what": what} if op in WALKS else what


def _what(done: Mapping[str, Any], tree: Tree | Arcs) -> str:
    facts: Json = {name: done.get(name, "") for name in ("label", "form", "relation")}
    facts["forms"] = " ".join(done.get("forms", ()))
    if done.get("token") is not None:
        facts["word"] = tree.words[done["token"]]
    if isinstance(tree, Tree):
        for name in ("node", "mother", "first", "last"):
            if done.get(name) is not None:
                facts[name] = editing.name_of(tree, done[name])
    op, head = done["op"], done.get("head", -1)
    if op == "attach":
        op = "attach" if head >= 0 else "root"
        facts["head"] = tree.words[head] if head >= 0 else ""
    return str(TEXTS[op]) % facts


def _of_gold(draft: TreeDraft, refusal: StaleEdit) -> Json:
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
        "why": "",
        "preview": "",
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
