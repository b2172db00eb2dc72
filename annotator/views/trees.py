"""Editing the trees of a sentence, in any browser."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown
from annotator.forms.trees import AGAIN, ArcForm, TreeForm
from annotator.http.answers import form_page
from annotator.models import Parse, Sentence, TreeDraft
from annotator.models.projects import Anybody
from annotator.pages import arc_editor, choosing, tree_editor, treebanks
from annotator.services.parses import arc_drafts, consequences, drafts, gold, steps
from annotator.services.parses.drafts import DraftStep
from core.trees.stepping import Replace


@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The tree under one's hands; POST does one step, and says what came of it.

    A script asks for the editor alone; without one the whole page comes again. What was
    typed and refused is in its field still.
    """
    sentence = _sentence(request, slug, code)
    refuse_unknown(request.GET, {"base", "work"})
    if request.POST.get("op") == "check":
        return _checked(request, sentence)
    if "may_follow" in request.POST:
        request.session["trees_stay"] = "follow" not in request.POST
    shown = partial(tree_editor.shown, folded=request.POST.get("folded"))
    return _stepped(request, sentence, _do, shown, "editor")


@require_http_methods(["GET", "POST"])
def arcs(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The arcs under one's hands; as ``edit``."""
    sentence = _sentence(request, slug, code)
    refuse_unknown(request.GET, {"base", "work"})
    return _stepped(request, sentence, _do_arcs, arc_editor.shown, "arcs")


@require_http_methods(["GET", "POST"])
def compare(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """People's trees of a sentence, two side by side; POST makes one of them gold."""
    sentence = _sentence(request, slug, code)
    refuse_unknown(request.GET, {"kind", "a", "b"})
    if request.method == "POST":
        return _choose(request, sentence)
    kind = request.GET.get("kind", Parse.Kind.CONSTITUENCY)
    if kind not in Parse.Kind.values:
        raise BadRequest(_("There is no such kind of tree."), field="kind")
    codes = request.GET.get("a", ""), request.GET.get("b", "")
    page = choosing.shown(sentence, kind, codes, request.user)
    return render(request, "trees/compare.html", page)


def _choose(request: HttpRequest, sentence: Sentence) -> HttpResponse:
    parse = choosing.chosen(sentence, request.POST.get("parse", ""), request.user)
    saved = gold.save_as_gold(parse, by=request.user, seen=request.POST.get("gold", ""))
    message = _("This is the gold tree now.")
    messages.success(request, f"{message} {saved.summary}")
    return redirect(f"{request.path}?kind={parse.kind}")  # a, b may be former now


def _stepped(
    request: HttpRequest,
    sentence: Sentence,
    do: Callable[[Sentence, QueryDict, Anybody], str],
    shown: Callable[..., dict[str, Any]],
    page: str,
) -> HttpResponse:
    """The page of an editor, after the step that was sent, if one was."""
    is_part = bool(request.headers.get("HX-Request"))

    def act() -> HttpResponse | None:
        if message := do(sentence, request.POST, request.user):
            messages.success(request, message)
        return None if is_part else redirect(request.get_full_path())

    def context() -> dict[str, Any]:
        base = request.GET.get("base", "")
        tree = shown(sentence, request.user, base=base)
        return tree | _beside(request, sentence)

    def refused(refusal: Refusal, request: HttpRequest) -> dict[str, Any]:
        return choosing.refused(refusal, sentence, request.POST, request.user, page)

    name = f"trees/_{page}.html" if is_part else f"trees/{page}.html"
    return form_page(request, name, context, act, refused=refused, unanswered=200)


def _beside(request: HttpRequest, sentence: Sentence) -> dict[str, Any]:
    """The content of the page besides the tree."""
    work = request.GET.get("work", "")
    return {
        "stays": request.session.get("trees_stay", False),
        "work": treebanks.bar(work, sentence.corpus.project, request.user),
    }


def _saved(
    draft: TreeDraft, sent: dict[str, Any], by: Anybody, texts: tuple[str, str]
) -> str | None:
    """What a button says that saves the draft; None of any other. ``texts``: of one's
    own tree, and of the gold one."""
    if sent["op"] == "save":
        return f"{texts[0]} {gold.save(draft, by=by).summary}"
    if sent["op"] == "gold":
        saved = gold.save_as_gold(draft, by=by, seen=sent["gold"])
        return f"{texts[1]} {saved.summary}"
    return None


def _do_arcs(sentence: Sentence, sent: QueryDict, by: Anybody) -> str:
    """One step of the form; returns the message. Raises Refusal."""
    options = ArcForm(sent).arguments()
    if options["op"] == steps.KEEP:
        return _("Theirs is kept.")
    draft = arc_drafts.start(sentence, by=by, base=options["base"])
    draft.sentence = sentence
    texts = _("Saved as your arcs."), _("These are the gold arcs now.")
    if (said := _saved(draft, options, by, texts)) is not None:
        return said
    if options["op"] == "begin":
        text = arc_editor.lines_of(sentence, by, options["source"])
        options |= {"op": "replace", "text": text}
    seen = steps.tree_seen(draft, options["base_rev"])
    drafts.play(draft, arc_drafts.read_step(options, seen), by=by)
    return ""


def _sentence(request: HttpRequest, slug: str, code: str) -> Sentence:
    project = access.project_or_404(request.user, slug)
    rows = Sentence.objects.filter(corpus__project=project).select_related("corpus")
    sentence = get_object_or_404(rows, code=code)
    sentence.corpus.project = project
    return sentence


def _checked(request: HttpRequest, sentence: Sentence) -> HttpResponse:
    """What would be wrong with the tree that is being typed; nothing is stored."""
    access.require(request.user, "annotate", sentence.corpus.project)
    options = TreeForm(request.POST).arguments()
    page = tree_editor.typed(sentence, request.user, options)
    return render(request, "trees/_problems.html", page)


def _do(sentence: Sentence, sent: QueryDict, by: Anybody) -> str:
    """One step of the form; returns the message. Raises Refusal."""
    options = TreeForm(sent).arguments()
    if options["op"] == steps.VIEW:
        return ""
    if options["op"] == steps.KEEP:
        return _("Theirs is kept.")
    draft = drafts.start(sentence, by=by, base=options["base"])
    draft.sentence = sentence
    texts = _("Saved as your tree."), _("This is the gold tree now.")
    if (said := _saved(draft, options, by, texts)) is not None:
        return said
    if options["op"] == AGAIN:
        is_new = consequences.parse_again(draft, options, by=by)
        return "" if is_new else _("The parser’s best tree is this one already.")
    event = (consequences if options["follow"] else drafts).play(
        draft, _step(draft, options, by), by=by
    )
    n = event.done.get(drafts.GONE, 0)
    said = ngettext(
        "%(n)s secondary edge was removed with its node. Undo brings it back.",
        "%(n)s secondary edges were removed with their nodes. Undo brings them back.",
        n,
    )
    return said % {"n": n} if n else ""


def _step(draft: TreeDraft, sent: dict[str, Any], by: Anybody) -> DraftStep:
    """What the form asks for, read on the tree that the person saw."""
    if sent["op"] == "begin":
        other = Replace(tree_editor.tree_from(draft.sentence, by, sent["source"]))
        return DraftStep(sent["uuid"], sent["base_rev"], other.op, other)
    return DraftStep.read(sent, steps.tree_seen(draft, sent["base_rev"]))
