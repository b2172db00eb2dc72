"""Two trees of a sentence side by side, and what a refusal left to choose from."""

from collections import Counter
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from django.http import Http404, QueryDict
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import Refusal
from annotator.models import Parse, Sentence, TreeDraft
from annotator.models.projects import Anybody
from annotator.pages import parses
from annotator.pages.lengths import refuse_long
from annotator.pages.parses import Other
from annotator.services.parses import drafts, gold, retyping
from annotator.services.treebanks import comparing
from core.data.deps import DepTree
from core.data.tree import Tree
from core.errors import GemelError
from core.trees import editing
from core.trees.arc_lines import Arcs

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
    """The parts by which two trees are compared, as text: phrases, or arcs."""
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


Trees = tuple[Tree | None, DepTree | None]


def shown(sentence: Sentence, kind: str, codes: tuple[str, str], by: Anybody) -> Json:
    """Two trees side by side, by default the least similar; all pairs with figures.

    Raises Http404 on a tree that there is not, or that this person may not read;
    TooLarge at a sentence that is too long to be drawn.
    """
    refuse_long(sentence)
    project = sentence.corpus.project
    made = comparing.made_of(sentence, kind, by)
    likenesses = comparing.likenesses(made)
    pair = _pair(made, likenesses, codes)
    former = gold.gold_of(sentence, kind)
    is_arcs = kind == Parse.Kind.DEPENDENCY
    return {
        "project": project,
        "corpus": sentence.corpus,
        "sentence": sentence,
        "kind": kind,
        "is_arcs": is_arcs,
        "editor": "arcs_edit" if is_arcs else "tree_edit",
        "made": made,
        "likenesses": likenesses,
        "pair": pair,
        "drawn": _drawn(sentence, pair) if pair else [],
        "gold": former.code if former else "",
        "may_edit": access.may(by, "annotate", project),
        "may_gold": access.may(by, "curate", project),
    }


def chosen(sentence: Sentence, code: str, by: Anybody) -> Parse:
    """The tree with this code, if this person may read it; raises Http404."""
    rows = Parse.objects.readable_by(by, sentence.corpus.project)
    parse = rows.filter(sentence=sentence, code=code).first()
    if parse is None:
        raise Http404(_missing())
    parse.sentence = sentence
    return parse


def _missing() -> str:
    return _("There is no such tree of this sentence, or it is not yours.")


def _pair(
    made: list[Parse], likenesses: list[comparing.Likeness], codes: tuple[str, str]
) -> tuple[Parse, Parse] | None:
    if any(codes):
        by_code = {one.code: one for one in made}
        if not all(code in by_code for code in codes):
            raise Http404(_missing())
        return by_code[codes[0]], by_code[codes[1]]
    return (likenesses[0].a, likenesses[0].b) if likenesses else None


def _drawn(sentence: Sentence, pair: tuple[Parse, Parse]) -> list[Json]:
    """Both drawings, each with the differences marked, and the differences as text."""
    sides, words = [_trees(one) for one in pair], [retyping.words_of(p) for p in pair]
    is_alike = len(words[0]) == len(words[1])  # else nothing of one is in the other
    drawn = []
    for parse, own, other in zip(pair, sides, reversed(sides), strict=True):
        tree, deps = own
        tags = other[0].tags if other[0] else ()
        figure = parses.shown(
            retyping.words_of(parse) or sentence.forms,
            tree,
            deps,
            title=_("%(name)s over: %(text)s")
            % {"name": parse.name, "text": sentence.text},
            other=Other(*other, tags) if is_alike else None,
        )
        drawn.append({"parse": parse, "shown": figure})
    return drawn


def _trees(parse: Parse) -> Trees:
    try:
        if parse.kind == Parse.Kind.DEPENDENCY:
            return None, parse.to_deps()
        return parse.to_tree(), None
    except GemelError:
        return None, None
