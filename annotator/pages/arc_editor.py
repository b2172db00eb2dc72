"""The page where a dependency tree is edited: drawing, table and token lines."""

from typing import Any

from django.utils.translation import gettext as _

from annotator.models import Parse, Sentence
from annotator.models.projects import Anybody
from annotator.pages.tree_editor import around, state_of
from annotator.services.parses import arc_drafts, consequences, drafts, retyping
from annotator.services.queries import labels
from annotator.services.treebanks import rules
from annotator.svg import editable
from core.layout.links import LinkedSide, parse_scene
from core.queries.rows import Kind
from core.trees.arc_lines import FIELDS, Arcs

Json = dict[str, Any]
KIND = Parse.Kind.DEPENDENCY
SURE = 0.95
UNIVERSAL = (
    "acl advcl advmod amod appos aux aux:pass case cc ccomp clf compound conj cop csubj"
    " dep det discourse dislocated expl fixed flat goeswith iobj list mark nmod nsubj"
    " nsubj:pass nummod obj obl orphan parataxis punct reparandum root vocative xcomp"
)


def shown(sentence: Sentence, by: Anybody, *, base: str = "") -> Json:
    """The content of the page; without a draft, the initial arcs of one.

    Raises BadRequest on a ``base`` that there is not.
    """
    draft = arc_drafts.draft_of(sentence, by)
    parse = drafts.starting(sentence, by, base, KIND) if draft is None else draft.base
    arcs = draft.to_arcs() if draft else arc_drafts.arcs_at_start(sentence, parse)
    problems = _problems(sentence, arcs)
    decided = arc_drafts.decided(draft) if draft else {}
    stored = (
        consequences.forest_over(draft)
        if draft
        else consequences.forest_of(sentence, parse)
    )
    sure = arc_drafts.chances(arcs, stored, decided)
    return {
        "rows": _rows(arcs, sure),
        "svg": _svg(sentence, arcs, problems, sure),
        "doubts": sum(p < SURE for p in sure.values()),
        "problems": problems,
        "lines": arcs.lines,
        "columns": list(FIELDS),
        "labels": _relations(arcs, sentence),
        "notes": rules.rules_of(sentence.corpus).notes,
    } | (state_of(draft) | around(sentence, draft, parse, arcs.words, by, KIND))


def lines_of(sentence: Sentence, by: Anybody, code: str) -> str:
    """The token lines of the draft with the heads and relations of other arcs of the
    sentence; without a draft, those of the other arcs. Raises BadRequest."""
    parse = drafts.starting(sentence, by, code, KIND)
    draft, arcs = (
        arc_drafts.draft_of(sentence, by),
        arc_drafts.arcs_at_start(sentence, parse),
    )
    if draft is None:
        return arcs.lines
    mine = draft.to_arcs()
    return mine.with_arcs_of(retyping.over(arcs, mine.words)).lines


def _rows(arcs: Arcs, sure: dict[int, float]) -> list[Json]:
    """The table twin: a word a row; ``sure`` in percent."""
    deps, words = arcs.deps, arcs.words
    return [
        {
            "v": m,
            "n": m + 1,
            "form": token.form,
            "label": deps.labels[m],
            "head": deps.heads[m] + 1,
            "head_form": words[deps.heads[m]] if deps.heads[m] >= 0 else "",
            "sure": round(100 * sure[m]) if m in sure else None,
            "fields": [(name, arcs.field(m, name)) for name in FIELDS],
        }
        for m, token in enumerate(arcs.tokens)
    ]


def _relations(arcs: Arcs, sentence: Sentence) -> list[tuple[str, str]]:
    """What the field offers: relations of the corpus, the most frequent first, of this
    tree, then those of UD."""
    known = [name for _kind, name in labels.common(sentence.corpus, Kind.TOKEN)]
    names = dict.fromkeys([*known, *arcs.deps.labels, *UNIVERSAL.split()])
    return [("relation", name) for name in names if name]


def _problems(sentence: Sentence, arcs: Arcs) -> list[Json]:
    words = arcs.words
    return [
        {
            "text": one.text,
            "remedy": one.remedy,
            "node": one.words[0] if one.words else -1,
            "words": " ".join(words[m] for m in one.words if m < len(words)),
        }
        for one in rules.of_arcs(sentence, arcs.deps, arcs.tokens)
    ]


def _svg(
    sentence: Sentence, arcs: Arcs, problems: list[Json], sure: dict[int, float]
) -> str:
    tokens = arcs.tokens
    tags = tuple(token.upos or token.xpos for token in tokens)
    scene = parse_scene(LinkedSide(arcs.words, None, arcs.deps))
    wrong = frozenset(one["node"] for one in problems)
    uncertain = {m: p for m, p in sure.items() if p < SURE}
    marks = editable.Marks(wrong, uncertain)
    title = _("Arcs over: %(text)s") % {"text": sentence.text}
    return editable.draw_arcs(scene, arcs, tags, title=title, marks=marks)
