"""The page of a pair: the JSON its editor starts from, and the table next to it."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator import access
from annotator.errors import BadRequest
from annotator.models import AlignmentLayer, Origin, Pair, Parse, Project
from annotator.models.projects import Anybody
from annotator.pages import canvas
from annotator.pages.canvas import Canvas, ViewOptions
from annotator.services.alignments import layers
from annotator.services.corpora import trees
from core.formats import latex

Json = dict[str, Any]
STATES = {
    "undecided": gettext_lazy("undecided"),
    "linked": gettext_lazy("linked"),
    "null": gettext_lazy("null"),
}
KINDS = {
    "": "",
    "sure": gettext_lazy("sure"),
    "possible": gettext_lazy("possible"),
}


def load(project: Project, code: str, *, layer: str, by: Anybody) -> Canvas:
    """The canvas of a pair with the layer of this code.

    "new": on none yet; "": on the person's own, else the gold standard. Raises
    Http404 without such a pair, BadRequest on a layer that is not theirs to see.
    """
    rows = Pair.objects.filter(corpus__project=project).select_related(
        "corpus__project", "source", "target"
    )
    loaded = canvas.load(get_object_or_404(rows, code=code), None, user=by)
    chosen: AlignmentLayer | None
    if layer == "new":
        chosen = None
    elif layer:
        chosen = next((row for row in loaded.layers if row.code == layer), None)
        if chosen is None:
            raise BadRequest(_("There is no such layer, or it is not yours to see."))
    else:
        chosen = _default_layer(loaded, by)
    return canvas.on_layer(loaded, chosen)


def shown(drawn: Canvas, options: ViewOptions, *, by: Anybody) -> Json:
    """The content of the page: the drawing, and this person's rights."""
    project = drawn.pair.corpus.project
    own = any(row.author_id == by.pk for row in drawn.layers)
    may_annotate = access.may(by, "annotate", project)
    page = {
        "project": project,
        "pair": drawn.pair,
        "canvas": drawn,
        "layer": drawn.layer,
        "data": _data(drawn, by),
        "svg": "" if drawn.is_long else drawn.svg(options),
        "may_run": access.may(by, "run", project),
        "may_start": may_annotate and not own,
        "may_annotate": may_annotate,
        "latex_packages": latex.PACKAGES,
    }
    if lacking := drawn.lacking:
        page |= {"lacking": lacking, "waiting": trees.waiting_for(drawn.pair)}
    return page


def table(drawn: Canvas, *, by: Anybody) -> Json:
    """The table of the same pair."""
    return {
        "project": drawn.pair.corpus.project,
        "pair": drawn.pair,
        "canvas": drawn,
        "layer": drawn.layer,
        "sides": table_rows(drawn),
        "edit": _may_edit(drawn, by),
        "snapshot": _snapshot(drawn, by),
    }


def _default_layer(loaded: Canvas, by: Anybody) -> AlignmentLayer | None:
    """One's own; otherwise the gold standard for curators, who may change it;
    otherwise, for annotators, a new one, so that they do not start from the answers of
    others."""
    project = loaded.pair.corpus.project
    own = [row for row in loaded.layers if row.author_id == by.pk]
    gold = [row for row in loaded.layers if row.origin == Origin.GOLD]
    if own:
        return own[0]
    if gold and access.may(by, "curate", project):
        return gold[0]
    if access.may(by, "annotate", project) or not loaded.layers:
        return None
    return gold[0] if gold else loaded.layers[0]


def _may_edit(drawn: Canvas, by: Anybody) -> bool:
    project = drawn.pair.corpus.project
    if drawn.layer is None:
        return access.may(by, "annotate", project)
    return layers.may_edit(drawn.layer, by, project)


def _snapshot(drawn: Canvas, by: Anybody) -> Json | None:
    if drawn.layer is None:
        return None
    drawn.layer.pair = drawn.pair
    return layers.snapshot(drawn.layer, by)


def _data(drawn: Canvas, by: Anybody) -> Json:
    """What the editor's script starts from."""
    project = drawn.pair.corpus.project
    return {
        "pair": drawn.pair.code,
        "user": by.get_username(),
        "layer": _snapshot(drawn, by),
        "edit": _may_edit(drawn, by),
        "curate": access.may(by, "curate", project),
        "layers": [_layer_row(row, by) for row in drawn.layers],
        "parses": [_parse_row(parse, drawn) for parse in drawn.parses],
        "long": drawn.is_long,
        "folded": drawn.default_folds(),
        "aligned": drawn.is_aligned,
        "urls": _urls(drawn.pair, project),
        **trees_part(drawn),
    }


def _urls(pair: Pair, project: Project) -> dict[str, str]:
    code, place = pair.code, [project.slug, pair.code]
    unsure = reverse("next_unsure", args=[project.slug, pair.corpus.code])
    return {
        "drawing": reverse("pair_drawing", args=place),
        "table": reverse("pair_table", args=place),
        "start": reverse("api_layers", args=[code]),
        "trees": reverse("api_trees", args=[code]),
        "layers": reverse("api_layer", args=["0" * 16]),
        "proposals": reverse("api_proposals", args=[code]),
        "better": reverse("api_better_trees", args=[code]),
        "next": f"{unsure}?after={code}",
    }


def trees_part(drawn: Canvas) -> Json:
    """The part that changes with a tree, a fold or a view."""
    return {
        "trees": drawn.trees_json(),
        "suggestions": drawn.suggestions(),
        "notes": drawn.notes,
    }


def _layer_row(row: AlignmentLayer, by: Anybody) -> Json:
    return {
        "code": row.code,
        "name": " ".join(filter(None, [row.made_by, row.name])),
        "origin": row.origin,
        "n_links": row.n_links,
        "state": row.state,
        "mine": row.author_id == by.pk,
    }


def _parse_row(parse: Parse, drawn: Canvas) -> Json:
    return {
        "code": parse.code,
        "side": "s" if parse.sentence_id == drawn.pair.source_id else "t",
        "name": parse.name,
        "score": parse.score,
    }


def table_rows(drawn: Canvas) -> list[Json]:
    """Both sides as rows: what a node is, and what is decided about it."""
    draft = layers.draft_of(drawn.layer) if drawn.layer else None
    decided = canvas.decisions(draft)
    trees = drawn.trees_json()
    names = {
        f"{end}:{n[0]}": _name(trees[end], n)
        for end in trees
        for n in trees[end]["nodes"]
    }
    sides = []
    for end, other, title in (("s", "t", _("Source")), ("t", "s", _("Target"))):
        rows = []
        for i, node in enumerate(trees[end]["nodes"]):
            node_state = decided.get(f"{end}:{node[0]}", {})
            partners = [
                names[f"{other}:{ref}"] for ref in node_state.get("partner", "").split()
            ]
            row = _table_row(trees[end], i, node_state)
            rows.append(row | {"partner": "; ".join(partners)})
        sides.append({"name": end, "title": title, "rows": rows})
    return sides


def _name(side: Json, node: list[Any]) -> str:
    label, form, start, end = node[1], node[2], *node[4:]
    return f"{label} {form or ' '.join(side['words'][start:end])}".strip()


def _table_row(side: Json, i: int, node_state: dict[str, str]) -> Json:
    ref, label, form, up, start, end = side["nodes"][i]
    depth = 0
    while up >= 0:
        depth, up = depth + 1, side["nodes"][up][3]
    return {
        "ref": ref,
        "label": label,
        "text": form or " ".join(side["words"][start:end]),
        "span": f"{start + 1}–{end}" if end - start > 1 else str(start + 1),
        "depth": min(depth, 12),
        "state": STATES[node_state.get("state", "undecided")],
        "kind": KINDS[node_state.get("kind", "")],
    }
