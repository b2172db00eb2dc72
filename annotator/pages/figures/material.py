"""The content of a figure: sentences, their trees, and decisions about them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from django.conf import settings
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import Parse, Sentence
from annotator.models.projects import Anybody
from annotator.pages.canvas import VIEWS, Canvas, deps_of
from annotator.pages.lengths import refuse_long
from annotator.services.alignments import layers
from annotator.services.parses.accuracy import readable
from core.data.alignment import Alignment, Ref, token_ref
from core.data.deps import DepTree
from core.data.tree import Tree
from core.phrase_alignment import editing
from core.phrase_alignment.legitimacy import ref_of

CHOICES: dict[str, tuple[str, ...]] = {
    "view": VIEWS,
    "side": ("both", "source", "target"),
    "links": ("all", "phrases", "words", "none"),
    "marks": ("yes", "no"),
    "colour": ("colour", "grey"),
    "font": ("sans", "serif"),
}
"""By option: what it may be, the default first."""
OF_PAIRS = frozenset({"side", "links", "marks", "nodes", "across"})
"""Options that say nothing of a sentence without a pair."""


@dataclass(frozen=True, slots=True)
class NodeChoice:
    """The nodes of a side over tokens ``start`` to ``end - 1``, and no others."""

    side: Literal["s", "t"]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """``view`` "": constituents where there are any, otherwise arcs. ``marks``:
    outlines, signs and strips that show decisions, "no" for bare trees. ``nodes``: if
    given, only their links. ``folded``: refs like s5. Settings of links, and
    ``across``, have no effect where one tree is drawn alone."""

    view: str = ""
    side: str = "both"
    links: str = "all"
    marks: str = "yes"
    colour: str = "colour"
    font: str = "sans"
    across: bool = False
    folded: frozenset[str] = frozenset()
    nodes: tuple[NodeChoice, ...] = ()


_SIDES: tuple[tuple[Literal["s", "t"], str], ...] = (("s", "source"), ("t", "target"))


@dataclass(frozen=True, slots=True)
class DrawnSentence:
    """One sentence with the trees that are drawn; ``parse``: that of ``tree``."""

    side: Literal["s", "t"]
    sentence: Sentence
    parse: Parse | None
    tree: Tree | None
    deps: DepTree | None


@dataclass(frozen=True, slots=True)
class Material:
    """``name``: of the file, without its end. ``address``: the page that it is from,
    with the host where GEMEL_SITE_URL says one. ``about``: its codes, for programs."""

    parts: tuple[DrawnSentence, ...]
    name: str
    address: str
    about: dict[str, Any] = field(default_factory=dict)
    draft: editing.Draft = field(default_factory=editing.Draft)


def of_pair(canvas: Canvas, side: str = "both") -> Material:
    """Both sentences of the pair, or one; ``side``: both, source or target."""
    pair, layer = canvas.pair, canvas.layer
    parts = [
        DrawnSentence(
            at,
            getattr(pair, name),
            canvas.used[at],
            canvas.trees[at],
            canvas.deps[at],
        )
        for at, name in _SIDES
        if side in ("both", name)
    ]
    address = reverse("pair", args=[pair.corpus.project.slug, pair.code])
    about: dict[str, Any] = {"pair": pair.code}
    if layer:
        address += f"?layer={layer.code}"
        about |= {"layer": layer.code, "revision": layer.revision}
    return Material(
        tuple(parts),
        f"gemel-{layer.code if layer else pair.code}",
        settings.SITE_URL + address,
        about | {"licence": pair.corpus.licence},
        layers.draft_of(layer) if layer and side == "both" else editing.Draft(),
    )


def of_sentence(
    sentence: Sentence, *, tree: str = "", by: Anybody | None = None
) -> Material:
    """One sentence, its best trees or that of code ``tree``. ``by`` None: anyone's
    trees, for the command line. Raises Http404, TooLarge."""
    refuse_long(sentence)
    parses = list(sentence.parses.select_related("author"))
    if by is not None:
        parses = readable(sentence, by)
    shown, arcs = [_best(kind, parses, tree) for kind in Parse.Kind]
    n_tokens = sentence.n_tokens
    trees = layers.tree_of(shown, n_tokens), deps_of(arcs, n_tokens)
    part = DrawnSentence("s", sentence, shown, *trees)
    corpus = sentence.corpus
    address = reverse("sentence", args=[corpus.project.slug, sentence.code])
    about = {"sentence": sentence.code, "licence": corpus.licence}
    return Material(
        (part,), f"gemel-{sentence.code}", settings.SITE_URL + address, about
    )


def _best(kind: str, parses: list[Parse], code: str) -> Parse | None:
    """The best of this kind, or the one with the code if it is of this kind."""
    if not code:
        return next(iter(layers.first_of(kind, parses).values()), None)
    asked = next((one for one in parses if one.code == code), None)
    if asked is None:
        raise Http404(_("There is no such tree of this sentence."))
    return asked if asked.kind == kind else None


def view_of(material: Material, options: FigureOptions) -> str:
    """The default view: constituents, otherwise arcs."""
    has_tree = any(part.tree is not None for part in material.parts)
    has_arcs = any(part.deps is not None for part in material.parts)
    is_plain = has_tree or not has_arcs
    return options.view or ("constituency" if is_plain else "dependency")


def chosen(material: Material, options: FigureOptions) -> Alignment:
    """The links and nulls that the figure shows. Raises BadRequest at words that no
    node covers."""
    whole = material.draft.alignment
    nodes = [_refs(material.parts, one) for one in options.nodes]
    if len(material.parts) == 1 or options.links == "none":
        return Alignment()
    wanted = frozenset().union(*nodes)

    def is_shown(*ends: str) -> bool:
        is_words = all(end[2] == "w" for end in ends)
        is_kind = options.links == "all" or is_words == (options.links == "words")
        return is_kind and (not nodes or not wanted.isdisjoint(ends))

    links = tuple(
        link for link in whole.links if is_shown(f"s:{link.source}", f"t:{link.target}")
    )
    return Alignment(
        links,
        frozenset(ref for ref in whole.null_source if is_shown(f"s:{ref}")),
        frozenset(ref for ref in whole.null_target if is_shown(f"t:{ref}")),
    )


def _refs(parts: Sequence[DrawnSentence], choice: NodeChoice) -> frozenset[str]:
    """Keys of the nodes over just these words, as s:n5."""
    refs: set[Ref] = set()
    words = tuple(range(choice.start, choice.end))
    for part in parts:
        if part.side == choice.side and choice.end <= part.sentence.n_tokens:
            tree = part.tree
            nodes = range(len(tree)) if tree else ()
            refs |= {
                ref_of(tree, v) for v in nodes if tree and tree.yield_of(v) == words
            }
            refs |= {token_ref(choice.start)} if len(words) == 1 else set()
    if not refs and any(part.side == choice.side for part in parts):
        name = f"{choice.side}{choice.start + 1}-{choice.end}"
        raise BadRequest(
            _("No node covers just the words %(name)s.") % {"name": name},
            field="nodes",
        )
    return frozenset(f"{choice.side}:{ref}" for ref in refs)
