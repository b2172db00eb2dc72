"""The page of a pair: its sentences, its layers and the aligned-trees editor."""

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import LinkForm
from annotator.models import AlignmentLayer, Origin, Pair, Project
from annotator.services import canvas, layers, linking, trees
from annotator.services.canvas import Canvas

__all__ = ["drawing", "load_canvas", "pair", "table", "tree"]


@login_required
@require_GET
def pair(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    found = load_canvas(request, project, code)
    options = canvas.options_of(request.GET.dict())
    context = {
        "project": project,
        "pair": found.pair,
        "canvas": found,
        "layer": found.layer,
        "data": _data(request, project, found),
        "svg": "" if found.is_long else found.svg(options),
        "may_run": access.may(request.user, "run", project),
        "may_start": _may_start(request, project, found),
        "may_annotate": access.may(request.user, "annotate", project),
    }
    lacking = [name for name, there in found.used.items() if there is None]
    if lacking:
        context["lacking"] = lacking
        context["waiting"] = trees.waiting_for(found.pair)
    return render(request, "editor/pair.html", context)


@login_required
@require_GET
def drawing(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The trees on their own, when the view, a fold or a tree has changed."""
    project = access.project_or_404(request.user, slug)
    found = load_canvas(request, project, code)
    options = canvas.options_of(request.GET.dict())
    return JsonResponse({"svg": found.svg(options), **_trees_part(found)})


@login_required
@require_POST
def tree(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A tree that somebody pasted."""
    project = access.project_or_404(request.user, slug)
    found = load_canvas(request, project, code)
    side, text = request.POST.get("side", ""), request.POST.get("text", "")
    try:
        trees.paste(found.pair, side, text, by=request.user)
        messages.success(request, "The tree is there.")
    except BadRequest as refusal:
        messages.error(request, str(refusal))
    return redirect("pair", slug, code)


@login_required
@require_http_methods(["GET", "POST"])
def table(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The same pair as a table, with the same commands, for any browser."""
    project = access.project_or_404(request.user, slug)
    found = load_canvas(request, project, code)
    if request.method == "POST":
        _play_form(request, found)
        here = reverse("pair_table", args=[slug, code])
        chosen = request.GET.get("layer", "")
        return redirect(f"{here}?layer={chosen}" if chosen else here)
    context = {
        "project": project,
        "pair": found.pair,
        "canvas": found,
        "layer": found.layer,
        "sides": _table_rows(found),
        "edit": _may_edit(request, project, found),
        "snapshot": _snapshot(request, found),
        "uuid": uuid4(),
    }
    part = request.GET.get("part") == "1"
    name = "editor/_table.html" if part else "editor/table.html"
    return render(request, name, context)


def load_canvas(request: HttpRequest, project: Project, code: str) -> Canvas:
    """The pair, and the layer asked for, else one's own, else the gold standard."""
    rows = Pair.objects.filter(corpus__project=project).select_related(
        "corpus__project", "source", "target"
    )
    found = get_object_or_404(rows, code=code)
    loaded = canvas.load(found, None, user=request.user)
    asked = request.GET.get("layer", "")
    chosen: AlignmentLayer | None
    if asked == "new":
        chosen = None
    elif asked:
        chosen = next((row for row in loaded.layers if row.code == asked), None)
        if chosen is None:
            raise BadRequest("There is no such layer, or it is not yours to see.")
    else:
        chosen = _default_layer(request, project, loaded)
    return canvas.on_layer(loaded, chosen)


def _default_layer(
    request: HttpRequest, project: Project, loaded: Canvas
) -> AlignmentLayer | None:
    """One's own; else the gold standard for curators, who may change it; else, for
    those who annotate, a new one, lest they start from the answers of others."""
    own = [row for row in loaded.layers if row.author_id == request.user.pk]
    gold = [row for row in loaded.layers if row.origin == Origin.GOLD]
    if own:
        return own[0]
    if gold and access.may(request.user, "curate", project):
        return gold[0]
    if access.may(request.user, "annotate", project) or not loaded.layers:
        return None
    return gold[0] if gold else loaded.layers[0]


def _may_start(request: HttpRequest, project: Project, found: Canvas) -> bool:
    own = any(row.author_id == request.user.pk for row in found.layers)
    return not own and access.may(request.user, "annotate", project)


def _may_edit(request: HttpRequest, project: Project, found: Canvas) -> bool:
    if found.layer is None:
        return access.may(request.user, "annotate", project)
    return layers.may_edit(found.layer, request.user, project)


def _snapshot(request: HttpRequest, found: Canvas) -> dict[str, Any] | None:
    if found.layer is None:
        return None
    found.layer.pair = found.pair
    return layers.snapshot(found.layer, request.user)


def _data(request: HttpRequest, project: Project, found: Canvas) -> dict[str, Any]:
    """What the editor's script starts from."""
    code = found.pair.code
    place = [project.slug, code]
    return {
        "pair": code,
        "user": request.user.get_username(),
        "layer": _snapshot(request, found),
        "edit": _may_edit(request, project, found),
        "curate": access.may(request.user, "curate", project),
        "layers": [_layer_row(row, request) for row in found.layers],
        "parses": [_parse_row(parse, found) for parse in found.parses],
        "long": found.is_long,
        "folded": found.default_folds(),
        "aligned": found.is_aligned,
        "urls": {
            "drawing": reverse("pair_drawing", args=place),
            "table": reverse("pair_table", args=place),
            "start": reverse("api_layers", args=[code]),
            "trees": reverse("api_trees", args=[code]),
            "layers": reverse("api_layer", args=["0" * 16]),
            "proposals": reverse("api_proposals", args=[code]),
            "better": reverse("api_better_trees", args=[code]),
            "next": reverse("next_unsure", args=[project.slug, found.pair.corpus.code])
            + f"?after={code}",
        },
        **_trees_part(found),
    }


def _trees_part(found: Canvas) -> dict[str, Any]:
    return {
        "trees": found.trees_json(),
        "suggestions": found.suggestions(),
        "notes": found.notes,
    }


def _layer_row(row: AlignmentLayer, request: HttpRequest) -> dict[str, Any]:
    return {
        "code": row.code,
        "name": " ".join(filter(None, [row.made_by, row.name])),
        "origin": row.origin,
        "n_links": row.n_links,
        "state": row.state,
        "mine": row.author_id == request.user.pk,
    }


def _parse_row(parse: Any, found: Canvas) -> dict[str, Any]:
    return {
        "code": parse.code,
        "side": "s" if parse.sentence_id == found.pair.source_id else "t",
        "name": parse.name,
        "score": parse.score,
    }


def _table_rows(found: Canvas) -> list[dict[str, Any]]:
    """Both sides as rows: what a node is, and what is decided about it."""
    draft = layers.draft_of(found.layer) if found.layer else None
    decided = canvas.decisions(draft)
    trees = found.trees_json()
    names = {
        f"{end}:{n[0]}": _name(trees[end], n)
        for end in trees
        for n in trees[end]["nodes"]
    }
    sides = []
    for end, other, title in (("s", "t", "Source"), ("t", "s", "Target")):
        rows = []
        for i, node in enumerate(trees[end]["nodes"]):
            said = decided.get(f"{end}:{node[0]}", {})
            partners = [
                names[f"{other}:{ref}"] for ref in said.get("partner", "").split()
            ]
            row = _table_row(trees[end], i, said)
            rows.append(row | {"partner": "; ".join(partners)})
        sides.append({"name": end, "title": title, "rows": rows})
    return sides


def _name(side: dict[str, Any], node: list[Any]) -> str:
    _, label, form, _, start, end = node
    return f"{label} {form or ' '.join(side['words'][start:end])}".strip()


def _table_row(side: dict[str, Any], i: int, said: dict[str, str]) -> dict[str, Any]:
    ref, label, form, _, start, end = side["nodes"][i]
    depth, up = 0, side["nodes"][i][3]
    while up >= 0:
        depth, up = depth + 1, side["nodes"][up][3]
    return {
        "ref": ref,
        "label": label,
        "text": form or " ".join(side["words"][start:end]),
        "span": f"{start + 1}–{end}" if end - start > 1 else str(start + 1),
        "depth": min(depth, 12),
        "state": said.get("state", "undecided"),
        "kind": said.get("kind", ""),
    }


def _play_form(request: HttpRequest, found: Canvas) -> None:
    """One operation from the plain form; what is refused becomes a message."""
    sent = LinkForm(request.POST)
    if not sent.is_valid():
        messages.error(request, "Choose a row of each side, then a command.")
        return
    try:
        layer = found.layer or layers.start(found.pair, by=request.user)
        state = sent.cleaned_data["op"]
        if state in AlignmentLayer.State.values:
            layers.set_state(layer, state, by=request.user)
        else:
            linking.play(layer, linking.Op(**sent.to_op()), by=request.user)
    except Refusal as refusal:
        messages.error(request, str(refusal))
