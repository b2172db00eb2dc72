"""The page where a constituent tree is edited: drawing, table and brackets."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast
from uuid import uuid4

from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Origin, Parse, Sentence, TreeDraft
from annotator.models.projects import Anybody
from annotator.services.parses import consequences, drafts, gold, retyping
from annotator.services.parses.consequences import Consequences
from annotator.services.queries import labels
from annotator.services.treebanks import rules
from annotator.svg import editable
from core.data.tokens import Token
from core.data.tree import Tree
from core.errors import InvalidValue
from core.forests.constraints import Decisions, can_follow
from core.layout.links import LinkedSide, parse_scene
from core.queries.rows import Kind
from core.trees import brackets
from core.trees.editing import name_of
from core.trees.stepping import TreeEdit
from core.validation.declared import Rules
from core.validation.sentences import Problem

Json = dict[str, Any]
SURE = 0.95  # phrases that the parser holds less probable are shaded
NEAR = 25  # sentences before and after, whose labels of edges are offered
FOLD_FROM = 25  # words: longer sentences open with what the parser is sure of folded


def shown(
    sentence: Sentence, by: Anybody, *, base: str = "", folded: str | None = None
) -> Json:
    """The content of the page; without a draft, the initial tree of one.

    ``folded``: spans of words, "2-5 7-9"; "sure" for what the parser is sure of; None
    for that in long sentences alone. Raises BadRequest on a ``base`` that there is not.
    """
    draft = drafts.draft_of(sentence, by)
    parse = drafts.starting(sentence, by, base) if draft is None else draft.base
    tree = draft.to_tree() if draft else drafts.tree_at_start(sentence, parse)
    problems = _problems(sentence, tree)
    declared = rules.rules_of(sentence.corpus)
    stored = (
        consequences.forest_over(draft)
        if draft
        else consequences.forest_of(sentence, parse)
    )
    decided = consequences.decisions(draft) if draft else Decisions()
    sure = consequences.chances(tree, stored, decided)
    brought = (
        consequences.last_consequences(draft) if draft else consequences.Consequences()
    )
    if folded is None:
        folded = "sure" if tree.n_tokens > FOLD_FROM else ""
    state = state_of(draft)
    wrong = {one["node"] for one in problems}
    open_ = {int(state["at"]), *brought.came, *wrong}
    folds = _folds(tree, folded, sure, open_)
    return {
        "rows": _rows(tree, sure, brought.came, rules.tokens_of(sentence)),
        "has_edges": bool(tree.edges),
        "secondary": [_secondary(tree, one) for one in tree.secondary],
        "functions": _functions(tree, sentence),
        "svg": _svg(sentence, tree, wrong, sure, brought.came, folds),
        "folded": " ".join("{}-{}".format(*tree.spans[v]) for v in sorted(folds)),
        "may_follow": stored is not None and can_follow(tree),
        "doubts": sum(p < SURE for p in sure.values()),
        "brought": _brought(tree, brought),
        "problems": problems,
        "brackets": brackets.shown(tree),
        "labels": _labels(tree, declared, sentence),
        "notes": declared.notes,
    } | (state | around(sentence, draft, parse, tree.words, by))


def around(
    sentence: Sentence,
    draft: TreeDraft | None,
    parse: Parse | None,
    words: tuple[str, ...],
    by: Anybody,
    kind: Parse.Kind = Parse.Kind.CONSTITUENCY,
) -> Json:
    """What the editors of trees and of arcs share: the sentence and those before and
    after it, in the order of import, its words (those of the draft where it has other
    places), the trees that the draft may be filled with, and this person's rights."""
    project, forms = sentence.corpus.project, sentence.forms
    former = gold.gold_of(sentence, kind)
    near = Sentence.objects.filter(corpus=sentence.corpus_id).only("code", "ref")
    rows = Parse.objects.readable_by(by, project).filter(sentence=sentence, kind=kind)
    sources = rows.select_related("author").order_by("origin", "engine", "rank")
    return {
        "project": project,
        "corpus": sentence.corpus,
        "sentence": sentence,
        "draft": draft,
        "base": parse,
        "words": forms if len(forms) == len(words) else words,
        "uuid": uuid4(),
        "gold": former.code if former else "",
        "may_edit": access.may(by, "annotate", project),
        "may_gold": access.may(by, "curate", project),
        "sources": list(sources),
        "word_differences": retyping.differences(draft) if draft else [],
        "previous": near.filter(pk__lt=sentence.pk).order_by("-pk").first(),
        "next": near.filter(pk__gt=sentence.pk).order_by("pk").first(),
    }


def _folds(
    tree: Tree, asked: str, sure: Mapping[int, float], open_: Collection[int]
) -> frozenset[int]:
    """The phrases to fold: those of these spans, or the largest of which the parser is
    sure throughout; none above a node that stays ``open_``."""
    if asked == "sure" and not sure:
        return frozenset()
    folds: list[int] = []
    end = 0  # of the last fold
    for v in range(1, len(tree)):
        start, stop = tree.spans[v]
        below = range(v, tree.subtree_end(v))
        if v < end or stop - start < 2 or any(u in below[1:] for u in open_):
            continue
        if asked == "sure":
            is_folded = v not in open_ and all(sure.get(u, 1) >= SURE for u in below)
        else:
            is_folded = f"{start}-{stop}" in asked.split()
        if is_folded and not tree.is_leaf(v):
            folds.append(v)
            end = below.stop
    return frozenset(folds)


def state_of(draft: TreeDraft | None) -> Json:
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


def _brought(tree: Tree, brought: Consequences) -> Json:
    """The consequences of the last step, as text."""
    return {
        "came": [
            {"label": tree.labels[v], "words": " ".join(_words(tree, *tree.spans[v]))}
            for v in brought.came
        ],
        "gone": [
            {"label": label, "words": " ".join(_words(tree, start, end))}
            for start, end, label in brought.gone
        ],
    }


def _words(tree: Tree, start: int, end: int) -> tuple[str, ...]:
    return tree.words[start:end]


def _rows(
    tree: Tree,
    sure: Mapping[int, float],
    came: Collection[int],
    tokens: Sequence[Token],
) -> list[Json]:
    """The table twin: a node a row, in preorder; ``sure`` in percent. ``tokens``: with
    the columns of words, not shown where words were split or joined since."""
    known = tokens if len(tokens) == tree.n_tokens else ()
    second = [(one[0], editable.named_secondary(tree, one)) for one in tree.secondary]
    columns = {
        tree.leaf_of[m]: " · ".join(filter(None, (one.lemma, one.upos, one.feats)))
        for m, one in enumerate(known)
    }
    return [
        {
            "v": v,
            "label": tree.labels[v],
            "depth": min(tree.depth(v), 12),
            "is_leaf": tree.is_leaf(v),
            "words": tree.forms[v]
            or " ".join(tree.words[token] for token in tree.yield_of(v)),
            "edge": tree.edges[v] if tree.edges else "",
            "secondary": [text for u, text in second if u == v],
            "sure": round(100 * sure[v]) if v in sure else None,
            "came": v in came,
            "columns": columns.get(v, ""),
        }
        for v in range(len(tree))
    ]


def _secondary(tree: Tree, edge: tuple[int, int, str]) -> tuple[str, str]:
    """What a field sends of a secondary edge, and its text for people."""
    v, target, label = edge
    names = name_of(tree, v), name_of(tree, target)
    return f"{v} {target} {label}", f"{label or '–'}: {names[0]} → {names[1]}"


def _functions(tree: Tree, sentence: Sentence) -> list[str]:
    """What the fields of edge labels offer: those of this tree and of the gold trees
    around it."""
    near = Parse.objects.filter(
        sentence__gte=sentence.pk - NEAR,
        sentence__lte=sentence.pk + NEAR,
        sentence__corpus=sentence.corpus_id,
        origin=Origin.GOLD,
    ).values_list("meta__edges", "meta__secondary")
    rows = [(tree.edges, tree.secondary), *near]
    found = {x for edges, _more in rows for x in edges or ()}
    found |= {one[2] for _edges, more in rows for one in more or ()}
    return sorted(found - {"", "--"})


def _labels(tree: Tree, declared: Rules, sentence: Sentence) -> list[tuple[str, str]]:
    """What the label field offers, each with what it is of: the labels of the corpus,
    the most frequent first, of this tree, and those that are declared."""
    common = labels.common(sentence.corpus, Kind.PHRASE, Kind.TAG)
    own = [
        ("tag" if tree.is_leaf(v) else "phrase", name)
        for v, name in enumerate(tree.labels)
    ]
    named = [("phrase", name) for name in sorted(declared.labels)]
    named += [("tag", name) for name in sorted(declared.tags)]
    known = [("phrase" if kind == Kind.PHRASE else "tag", x) for kind, x in common]
    return [one for one in dict.fromkeys([*known, *own, *named]) if one[1]]


def _svg(
    sentence: Sentence,
    tree: Tree,
    wrong: Collection[int],
    sure: Mapping[int, float],
    came: Collection[int],
    folds: frozenset[int],
) -> str:
    scene = parse_scene(LinkedSide(tree.words, tree, None, folds))
    title = _("Tree over: %(text)s") % {"text": sentence.text}
    uncertain = {v: p for v, p in sure.items() if p < SURE}
    marks = editable.Marks(frozenset(wrong), uncertain, frozenset(came))
    return editable.draw(scene, tree, title=title, marks=marks)


def _problems(sentence: Sentence, tree: Tree) -> list[Json]:
    """What is wrong with the tree, and with its arcs, each with its place."""
    return [
        {
            "text": one.text,
            "remedy": one.remedy,
            "rule": one.rule,
            "node": _node_of(one, tree),
            "words": " ".join(tree.words[m] for m in one.words if m < tree.n_tokens),
        }
        for one in rules.of_sentence(sentence, tree)
    ]


def _node_of(problem: Problem, tree: Tree) -> int:
    """Where the drawing shows it: of arcs the first word; -1 for nowhere."""
    if problem.node >= 0 or not problem.words or problem.words[0] >= tree.n_tokens:
        return problem.node
    return tree.leaf_of[problem.words[0]]


def typed(sentence: Sentence, by: Anybody, sent: Mapping[str, Any]) -> Json:
    """Problems of the tree with the text being typed."""
    draft = drafts.draft_of(sentence, by)
    parse = None if draft else drafts.starting(sentence, by, str(sent["base"]))
    tree = draft.to_tree() if draft else drafts.tree_at_start(sentence, parse)
    page: Json = {"sentence": sentence, "is_typed": True}
    try:
        step = drafts.DraftStep.read({**sent, "op": sent["what"] or "relabel"}, tree)
        edited = cast(TreeEdit, step.operation).on(tree).tree
    except (BadRequest, InvalidValue) as error:
        return page | {"unreadable": str(error)}
    return page | {"problems": _problems(sentence, edited)}


def tree_from(sentence: Sentence, by: Anybody, code: str) -> Tree:
    """Another tree of the sentence, on the words of the draft; raises BadRequest."""
    parse, draft = drafts.starting(sentence, by, code), drafts.draft_of(sentence, by)
    tree = drafts.tree_at_start(sentence, parse)
    words = draft.to_tree().words if draft else tree.words
    made: Tree = retyping.over(tree, words)
    return made
