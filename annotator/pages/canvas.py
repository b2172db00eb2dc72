"""What the editor draws of a pair: its sides, parses, suggestions, other layers."""

from dataclasses import dataclass, field
from typing import Any, Literal

from django.utils.translation import gettext as _

from annotator.models import AlignmentLayer, Origin, Pair, Parse
from annotator.models.alignments import LayerQuerySet
from annotator.models.analyses import ParseQuerySet
from annotator.models.authorship import IMPORTED
from annotator.models.projects import Anybody
from annotator.pages.lengths import refuse_long
from annotator.services.alignments import layers
from annotator.svg import links as drawing
from core.data.deps import DepTree
from core.data.tree import Tree
from core.errors import FormatError
from core.layout.links import LinkedSide, View, link_scene
from core.phrase_alignment import editing
from core.phrase_alignment.aligner import ENGINE
from core.phrase_alignment.legitimacy import ref_of

SideName = Literal["s", "t"]
VIEWS: tuple[View, ...] = ("constituency", "dependency", "both")
FOLD_FROM = 120  # tokens of both sides: above, the editor opens folded
FOLD_WIDTH = 8  # then phrases of up to this many words are folded
COMPARED = 3


@dataclass(frozen=True)
class ViewOptions:
    """How to draw: ``folded`` holds refs like s5, t12 (side and preorder number)."""

    view: View = "constituency"
    across: bool = False
    folded: frozenset[str] = frozenset()


def options_of(query: dict[str, str]) -> ViewOptions:
    """Options from a query string; what is not understood is the default."""
    view = query.get("view", "")
    return ViewOptions(
        view=next((v for v in VIEWS if v == view), "constituency"),
        across=query.get("across") == "1",
        folded=frozenset(query.get("folded", "").split(".")) - {""},
    )


@dataclass
class Canvas:
    """A pair, the layer in hand (None: no layer yet) and the parses it is drawn on.

    ``parses``: all constituency parses of both sides without their text.
    """

    pair: Pair
    layer: AlignmentLayer | None
    used: dict[SideName, Parse | None]
    trees: dict[SideName, Tree | None]
    deps: dict[SideName, DepTree | None]
    parses: list[Parse]
    layers: list[AlignmentLayer]
    notes: list[str] = field(default_factory=list)

    @property
    def n_tokens(self) -> int:
        return self.pair.n_source + self.pair.n_target

    @property
    def lacking(self) -> list[SideName]:
        """The sides whose sentence has no tree at all."""
        there = {parse.sentence_id for parse in self.parses}
        sides: dict[SideName, int] = {
            "s": self.pair.source_id,
            "t": self.pair.target_id,
        }
        return [name for name, sentence in sides.items() if sentence not in there]

    @property
    def is_long(self) -> bool:
        return self.n_tokens > FOLD_FROM

    def svg(self, options: ViewOptions) -> str:
        """The drawing, bare: the editor dresses it."""
        sides = [self._side(name, options) for name in ("s", "t")]
        scene = link_scene(*sides, view=options.view, across=options.across)
        return drawing.draw(
            scene,
            title=f"{self.pair.source_text} / {self.pair.target_text}",
            desc="Two trees face to face, with the links between them.",
        )

    def trees_json(self) -> dict[str, Any]:
        """Words, heads and nodes of both sides; nodes in preorder: ref, label, word,
        parent, span."""
        words = {"s": self.pair.source.forms, "t": self.pair.target.forms}
        names: tuple[SideName, SideName] = ("s", "t")
        trees: dict[str, Any] = {n: self._nodes(n, words[n]) for n in names}
        for name in names:
            deps = self.deps[name]
            trees[name]["heads"] = list(deps.heads) if deps else []
        return trees

    def suggestions(self) -> list[list[Any]]:
        """An engine's links on the trees in hand: source, target, kind, whether it is
        crossing, probability."""
        engine = self._engine
        if engine is None or (self.layer and self.layer.origin == Origin.ENGINE):
            return []
        draft = on_trees(engine, self.used, self.trees)
        return [
            [k.source, k.target, k.kind, k.crossing, _share(k.attrs.get("prob"))]
            for k in draft.alignment.links
        ]

    @property
    def is_aligned(self) -> bool:
        """Whether the aligner has been here, so that it is asked again as one works."""
        return self._engine is not None and self._engine.engine == ENGINE

    @property
    def _engine(self) -> AlignmentLayer | None:
        """The last layer of an engine; one of phrases before those of words alone."""
        engines = [row for row in self.layers if row.origin == Origin.ENGINE]
        engines.sort(key=lambda row: row.source_parse_id is not None)
        return engines[-1] if engines else None

    def default_folds(self) -> list[str]:
        """The initial folds of a long pair: the largest phrases of a few words."""
        folds = []
        for name, tree in self.trees.items():
            v = 0
            while tree is not None and v < len(tree):
                n = len(tree.yield_of(v))
                if tree.children[v] and 1 < n <= FOLD_WIDTH:
                    folds.append(f"{name}{v}")
                    v = tree.subtree_end(v)
                else:
                    v += 1
        return folds if self.is_long else []

    def _side(self, name: SideName, options: ViewOptions) -> LinkedSide:
        sentence = self.pair.source if name == "s" else self.pair.target
        folded = {
            int(ref[1:])
            for ref in options.folded
            if ref[0] == name and ref[1:].isascii() and ref[1:].isdigit()
        }
        tree = self.trees[name]
        kept = {v for v in folded if tree and 0 < v < len(tree) and tree.children[v]}
        words = tuple(sentence.forms)
        return LinkedSide(words, tree, self.deps[name], frozenset(kept))

    def _nodes(self, name: SideName, words: list[str]) -> dict[str, Any]:
        tree, used = self.trees[name], self.used[name]
        if tree is None:
            rows = [[f"w{i}", "", word, -1, i, i + 1] for i, word in enumerate(words)]
            return {"parse": "", "words": words, "nodes": rows}
        rows = []
        for v in range(len(tree)):
            row = [ref_of(tree, v), tree.labels[v], tree.forms[v], tree.parents[v]]
            rows.append([*row, *tree.spans[v]])
        return {"parse": used.code if used else "", "words": words, "nodes": rows}


def load(pair: Pair, layer: AlignmentLayer | None, *, user: Anybody) -> Canvas:
    """The canvas of a pair. The same number of queries whatever the pair holds.

    Raises TooLarge at a pair that is too long to be drawn.
    """
    refuse_long(pair)
    seen = AlignmentLayer.objects.visible_to(user)
    trees = Parse.objects.readable_by(user, pair.corpus.project)
    return on_layer(_load(pair, seen, trees), layer)


def of_code(code: str) -> Canvas | None:
    """The canvas of the layer or pair with this code, for the command line."""
    every = AlignmentLayer.objects.all()
    layer = every.filter(code=code).first()
    pairs = Pair.objects.select_related("corpus__project", "source", "target")
    matches = pairs.filter(pk=layer.pair_id) if layer else pairs.filter(code=code)
    pair = matches.first()
    trees = Parse.objects.all()
    return on_layer(_load(pair, every, trees), layer) if pair else None


def _load(pair: Pair, seen: LayerQuerySet, trees: ParseQuerySet) -> Canvas:
    chosen = list(
        seen.filter(pair=pair)
        .select_related("source_parse", "target_parse", "author")
        .order_by("pk")
    )
    parses = list(
        trees.filter(sentence_id__in={pair.source_id, pair.target_id})
        .select_related("author")
        .defer("text", "meta")
        .order_by("engine", "version", "rank", "pk")
    )
    parses.sort(key=lambda parse: layers.ORDER[Origin(parse.origin)])
    for row in chosen:
        row.pair = pair
    constituents = [p for p in parses if p.kind == Parse.Kind.CONSTITUENCY]
    nothing: dict[SideName, Any] = {"s": None, "t": None}
    deps = _deps(pair, parses)
    return Canvas(pair, None, dict(nothing), dict(nothing), deps, constituents, chosen)


def on_layer(canvas: Canvas, layer: AlignmentLayer | None) -> Canvas:
    """The canvas with this layer and its trees."""
    pair = canvas.pair
    rows = (row for row in canvas.layers if layer and row.pk == layer.pk)
    canvas.layer = next(rows, layer)
    if canvas.layer is not None:
        source, target = canvas.layer.source_parse, canvas.layer.target_parse
    else:
        source, target = layers.choose_parses(pair, canvas.layers, canvas.parses)
    canvas.used = {"s": source, "t": target}
    canvas.trees = {
        "s": layers.tree_of(source, pair.n_source),
        "t": layers.tree_of(target, pair.n_target),
    }
    canvas.notes = _notes(canvas)
    return canvas


def on_trees(
    layer: AlignmentLayer,
    used: dict[SideName, Parse | None],
    trees: dict[SideName, Tree | None],
) -> editing.Draft:
    """Return a layer's draft on these trees, or on the words where there is none.

    Links and nulls of phrases that are not there are parked.
    """
    draft = layers.draft_of(layer)
    old = {"s": layer.source_parse, "t": layer.target_parse}
    n_tokens = {"s": layer.pair.n_source, "t": layer.pair.n_target}
    for name, tree in trees.items():
        parse, was = used[name], old[name]
        if tree is not None and was and parse and was.pk == parse.pk:
            continue
        before, code = layers.tree_of(was, n_tokens[name]), parse.code if parse else ""
        draft = editing.switch_tree(draft, name, code, before, tree)
    return draft


def decisions(draft: editing.Draft | None) -> dict[str, dict[str, str]]:
    """The decision about each node: state, partners and kind, by "s:n5"."""
    states: dict[str, dict[str, str]] = {}
    if draft is None:
        return states
    for link in draft.alignment.links:
        ends = ((f"s:{link.source}", link.target), (f"t:{link.target}", link.source))
        for key, partner in ends:
            old = states.get(key, {}).get("partner", "")
            both = f"{old} {partner}".strip()
            states[key] = {"state": "linked", "partner": both, "kind": link.kind}
    for side, refs in (
        ("s", draft.alignment.null_source),
        ("t", draft.alignment.null_target),
    ):
        states |= {f"{side}:{ref}": {"state": "null"} for ref in refs}
    return states


def compared(canvas: Canvas, codes: list[str]) -> list[dict[str, Any]]:
    """Up to three other layers on the trees in hand, lettered A, B, C."""
    chosen = [row for row in canvas.layers if row.code in codes][:COMPARED]
    rows = []
    for letter, row in zip("ABC", chosen, strict=False):
        draft = on_trees(row, canvas.used, canvas.trees)
        rows.append(
            {
                "code": row.code,
                "letter": letter,
                "name": row.made_by,
                **draft.alignment.to_json(),
                "missing": len(draft.parked),
            }
        )
    return rows


def trees_of(canvas: Canvas) -> list[dict[str, Any]]:
    """All trees of both sides, and where they differ from the first of their side."""
    texts = Parse.objects.in_bulk([p.pk for p in canvas.parses])
    first: dict[int, set[tuple[str, int, int]]] = {}
    rows = []
    for parse in canvas.parses:
        source = parse.sentence_id == canvas.pair.source_id
        n_tokens = canvas.pair.n_source if source else canvas.pair.n_target
        tree = layers.tree_of(texts[parse.pk], n_tokens)
        spans = _spans(tree) if tree else set()
        base = first.setdefault(parse.sentence_id, spans)
        rows.append(
            {
                "code": parse.code,
                "side": "s" if source else "t",
                "name": parse.name,
                "score": parse.score,
                "only_here": _span_names(spans - base),
                "not_here": _span_names(base - spans),
                "fits": tree is not None,
            }
        )
    return rows


def _spans(tree: Tree) -> set[tuple[str, int, int]]:
    return {
        (tree.labels[v], *tree.spans[v]) for v in range(len(tree)) if tree.children[v]
    }


def _span_names(spans: set[tuple[str, int, int]]) -> list[str]:
    ordered = sorted(spans, key=lambda span: span[1:])
    return [f"{label} {start + 1}–{end}" for label, start, end in ordered]


def _deps(pair: Pair, parses: list[Parse]) -> dict[SideName, DepTree | None]:
    """The first dependency parse of each side, gold before engines."""
    best = layers.first_of(Parse.Kind.DEPENDENCY, parses)
    texts = Parse.objects.in_bulk([p.pk for p in best.values()])
    by_side: dict[SideName, DepTree | None] = {"s": None, "t": None}
    sides: tuple[tuple[SideName, int, int], ...] = (
        ("s", pair.source_id, pair.n_source),
        ("t", pair.target_id, pair.n_target),
    )
    for name, sentence, n_tokens in sides:
        if sentence in best:
            by_side[name] = deps_of(texts[best[sentence].pk], n_tokens)
    return by_side


def deps_of(parse: Parse | None, n_tokens: int) -> DepTree | None:
    """The arcs, or None if there are none, or over other tokens: never guessed."""
    try:
        deps = parse.to_deps() if parse else None
    except FormatError:
        return None
    return deps if deps is not None and len(deps) == n_tokens else None


def _notes(canvas: Canvas) -> list[str]:
    """Missing trees and alignments, as text for the reader."""
    notes = _origin_notes(canvas)
    sides: tuple[SideName, SideName] = ("s", "t")
    for name in sides:
        if canvas.used[name] is None:
            lacks = name in canvas.lacking
            notes.append(_no_tree(name) if lacks else _unused_tree(name))
        elif canvas.trees[name] is None:
            notes.append(_other_tokens(name))
    return notes


def _no_tree(side: SideName) -> str:
    if side == "s":
        return _("The source sentence has no tree: its words can be linked.")
    return _("The target sentence has no tree: its words can be linked.")


def _unused_tree(side: SideName) -> str:
    if side == "s":
        return _("This layer uses no source tree. Choose one under Trees.")
    return _("This layer uses no target tree. Choose one under Trees.")


def _other_tokens(side: SideName) -> str:
    if side == "s":
        return _(
            "The source tree has other tokens than the sentence, so it is "
            "not drawn. Both are shown unmatched."
        )
    return _(
        "The target tree has other tokens than the sentence, so it is "
        "not drawn. Both are shown unmatched."
    )


def _origin_notes(canvas: Canvas) -> list[str]:
    """Where a layer of a file is from, and that no one here made it."""
    origin = canvas.layer.meta.get(IMPORTED) if canvas.layer else None
    if not origin:
        return []
    facts = {"file": origin["file"], "name": origin["by"]}
    return [_("This layer is from %(file)s, imported by %(name)s.") % facts]


def _share(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
