"""What the aligner would link in a pair, given all that a person has decided in it.

Nothing is stored here. Proposals never change a decision: links must be, nulls must be
null, rejected links must not be. Contradicting decisions are named in a sentence, and
the later ones are left out.
"""

import contextlib
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, cast, get_args

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator import access
from annotator.errors import BadRequest, NotReady
from annotator.models import AlignmentLayer, PackedForest, Pair, Parse
from annotator.models.projects import Anybody
from annotator.services.alignments import layers, phrases
from annotator.serving import engine
from annotator.timing import phase
from core.data.alignment import Link, Ref
from core.data.check import Floats
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import Contradiction, InvalidValue, Unavailable
from core.forests.derivation import tree_of_phrases
from core.phrase_alignment.aligner import (
    ENGINE,
    VERSION,
    PhraseAligner,
    Regaining,
    side_of_packed,
)
from core.phrase_alignment.constraints import (
    Constraint,
    Place,
    Rule,
    align_under,
    can_hold,
)
from core.phrase_alignment.editing import Draft
from core.phrase_alignment.forest_align import Aligned, alignment_of, tree_of
from core.phrase_alignment.legitimacy import ref_of
from core.phrase_alignment.sides import BinaryForest, collapsed, side_of_tree
from core.text.wordnet import thesaurus
from core.word_alignment.lexicon import WordRelation, relations

UNPACKED = 10
CACHED = 64  # pairs of trees whose gains are kept in memory
MAX_NODES = 40_000  # pairs of nodes; beyond, an answer would come too late to be of use
CLASHES = 8  # decisions that exclude each other, remembered for a pair of trees
Parses = tuple[Parse, Parse]
SideName = Literal["s", "t"]
GROUNDS = {
    WordRelation.EXACT: gettext_lazy("the same word"),
    WordRelation.STEM: gettext_lazy("forms of one word"),
    WordRelation.SYNONYM: gettext_lazy("synonyms"),
    WordRelation.DERIVED: gettext_lazy("one derived from the other"),
    WordRelation.KIN: gettext_lazy("related in WordNet"),
}


@dataclass(frozen=True, slots=True)
class Decided:
    """A person's word on nodes of two trees, and on the words of any tree."""

    links: tuple[tuple[Ref, Ref], ...] = ()
    null_source: tuple[Ref, ...] = ()
    null_target: tuple[Ref, ...] = ()
    rejected: tuple[tuple[Place, Place], ...] = ()
    brackets: tuple[tuple[SideName, Place, Rule], ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """``supports``: by "s t", the links right below; ``grounds``: by "s t", why two
    words are linked; ``conflicts``: decisions that exclude each other, in sentences."""

    links: tuple[Link, ...]
    supports: dict[str, list[str]]
    grounds: dict[str, str]
    conflicts: tuple[str, ...] = ()


def decided_in(draft: Draft) -> Decided:
    """The decisions of a stored layer."""
    cells = [key.split() for key in draft.rejected if key.startswith("proposal ")]
    brackets = [(*key.split(), rule) for key, rule in draft.brackets.items()]
    return Decided(
        tuple(link.cell for link in draft.alignment.links),
        tuple(sorted(draft.alignment.null_source)),
        tuple(sorted(draft.alignment.null_target)),
        tuple((place_of(s), place_of(t)) for _name, s, t in cells),
        cast(Any, tuple((side, place_of(at), rule) for side, at, rule in brackets)),
    )


def place_of(text: str) -> Place:
    """``3-5`` as (3, 5)."""
    start, _dash, end = text.partition("-")
    return int(start), int(end)


def propose(pair: Pair, parses: Parses, decided: Decided) -> Proposal:
    """The links over two trees that go best with what is decided.

    Raises BadRequest on trees that are not this pair's or have other words, NotReady if
    the aligner is missing or the pair too large to wait for.
    """
    with phase("prepare"):
        here = ready(pair, parses)
        wanted = constraints(decided, here.trees)
        held = held_words(here.sides, wanted)
    with phase("gains"):
        gain = _regained(here, held.tobytes())
    with phase("decode"):
        aligned, conflicts = _as_far_as_possible(here, gain, wanted)
    with phase("read"):
        alignment, *_rest = alignment_of(aligned, here.trees)
        supports = _supports(aligned, here.trees)
        return Proposal(alignment.links, supports, _grounds(supports, here), conflicts)


@dataclass(frozen=True, eq=False)
class Ready:
    """Two trees as the decoder wants them."""

    trees: tuple[Tree, Tree]
    sides: tuple[BinaryForest, BinaryForest]
    gains: Floats
    regaining: Regaining = field(repr=False)
    related: list[list[WordRelation]] = field(repr=False)
    clashes: list[tuple[Constraint, ...]] = field(default_factory=list, repr=False)
    """Decisions that excluded each other when last decoded: they are likely to be
    among the next ones, too."""


@lru_cache(maxsize=1)
def aligner() -> PhraseAligner:
    try:
        return PhraseAligner.load()
    except Unavailable as error:
        raise NotReady(str(error)) from error


def ready(pair: Pair, parses: Parses) -> Ready:
    """The two trees of a pair. Raises BadRequest, NotReady."""
    for parse, sentence in zip(parses, (pair.source_id, pair.target_id), strict=True):
        if parse.sentence_id != sentence:
            raise BadRequest(
                _("These trees do not belong to this pair."), field="source_parse"
            )
    source, target = parses
    rows = AlignmentLayer.objects.filter(
        pair=pair, engine=ENGINE, version=VERSION, source_parse=source
    ).filter(target_parse=target)
    layer = rows.order_by("pk").values_list("code", flat=True).first() or ""
    return _loaded(source.code, target.code, layer)


@lru_cache(maxsize=CACHED)
def _loaded(source: str, target: str, layer: str) -> Ready:
    """Keyed by public codes, which are never reused: parses never change, and an engine
    of another version has another layer. People's decisions are not part of it. O(n_s
    n_t) space: at 25 tokens about 0.2 MB per pair, 1 MB at the longest."""
    trees = tuple(_tree(Parse.objects.get(code=code)) for code in (source, target))
    sides = side_of_tree(trees[0]), side_of_tree(trees[1])
    shape = sides[0].n_nodes, sides[1].n_nodes
    if shape[0] * shape[1] > MAX_NODES:
        raise NotReady(
            _(
                "These sentences are too long for suggestions while you work; those of "
                "the last alignment of the corpus stay."
            )
        )
    stored = AlignmentLayer.objects.filter(code=layer).values_list("meta", flat=True)
    packed = (stored.first() or {}).get("gains")
    gains = phrases.unpack(packed, shape) if packed else None
    if gains is None:
        gains = aligner().gains(*sides, None)
    related = relations(trees[0].words, trees[1].words, warm_thesaurus())
    table = [[WordRelation(int(x)) for x in row] for row in related]
    regaining = aligner().regaining(*sides)
    return Ready((trees[0], trees[1]), sides, gains, regaining, table)


@lru_cache(maxsize=CACHED)
def _regained(here: Ready, held: bytes) -> Floats:
    """What links gain once words are held (``held_words``): often as before."""
    shape = len(here.sides[0].words), len(here.sides[1].words)
    return here.regaining.of(here.gains, np.frombuffer(held).reshape(shape))


def _tree(parse: Parse) -> Tree:
    tree = layers.tree_of(parse, parse.sentence.n_tokens)
    if tree is None:
        raise BadRequest(_("This tree has other words than its sentence."))
    return tree


def warm_thesaurus() -> Any:
    """The thesaurus, read if it was not yet: a third of a second, 60 MB; or None."""
    try:
        return thesaurus()
    except Unavailable:
        return None


def constraints(decided: Decided, trees: tuple[Tree, Tree]) -> list[Constraint]:
    """Decisions as constraints. A unary chain is one node to the decoder: what is said
    of its top (of the word, over one word) counts, else a link below it."""
    tops, all_of = [_spans(tree) for tree in trees], [_all_spans(t) for t in trees]
    wanted: list[Constraint] = []
    taken: tuple[set[Place], set[Place]] = set(), set()

    def is_top(cell: tuple[Ref, Ref]) -> bool:
        return cell[0] in tops[0] and cell[1] in tops[1]

    for cell in sorted(decided.links, key=is_top, reverse=True):
        s, t = all_of[0].get(cell[0]), all_of[1].get(cell[1])
        if s and t and (is_top(cell) or not (s in taken[0] or t in taken[1])):
            wanted.append(Constraint("must-link", s, t))
            taken[0].add(s)
            taken[1].add(t)
    for ref in decided.null_source:
        if ref in tops[0]:
            wanted.append(Constraint("must-null", tops[0][ref], None))
    for ref in decided.null_target:
        if ref in tops[1]:
            wanted.append(Constraint("must-null", None, tops[1][ref]))
    for s, t in decided.rejected:
        if Constraint("must-link", s, t) not in wanted:
            wanted.append(Constraint("must-not-link", s, t))
    return list(dict.fromkeys(wanted))


@lru_cache(maxsize=2 * CACHED)
def _all_spans(tree: Tree) -> dict[Ref, Place]:
    spans = {ref_of(tree, v): tree.spans[v] for v in range(len(tree))}
    return {ref: (a, b) for ref, (a, b) in spans.items() if b > a}


@lru_cache(maxsize=2 * CACHED)
def _spans(tree: Tree) -> dict[str, Place]:
    """The span by ref of every node that represents its chain."""
    spans = {}
    for v in collapsed(tree):
        start, end = tree.spans[v]
        single = tree.is_leaf(v) or end - start == 1
        spans[f"w{start}" if single else f"n{v}"] = (start, end)
    return spans


def held_words(
    sides: tuple[BinaryForest, BinaryForest], wanted: Sequence[Constraint]
) -> Floats:
    """``(T, V)``: 1 for words that are linked, -1 for those that are not, else 0."""
    held = np.zeros((len(sides[0].words), len(sides[1].words)))
    links = [one for one in wanted if one.rule == "must-link"]
    for one in links:
        _bar(held, one)
    for one in links:  # a word and a phrase: which of its words is not said
        s, t = _word(one.source), _word(one.target)
        if one.source and one.target and (s is not None or t is not None):
            both = s is not None and t is not None
            held[slice(*one.source), slice(*one.target)] = 1 if both else 0
    for one in wanted:
        s, t = _word(one.source), _word(one.target)
        if one.rule == "must-null":
            _bar(held, one)
        elif one.rule == "must-not-link" and s is not None and t is not None:
            held[s, t] = -1
    return held


def _bar(held: Floats, one: Constraint) -> None:
    """The words of a constraint are linked to nothing."""
    s, t = _word(one.source), _word(one.target)
    if s is not None:
        held[s] = -1
    if t is not None:
        held[:, t] = -1


def _word(place: Place | None) -> int | None:
    return place[0] if place is not None and place[1] - place[0] == 1 else None


def _as_far_as_possible(
    here: Ready, gain: Floats, wanted: list[Constraint]
) -> tuple[Aligned, tuple[str, ...]]:
    """Decoded without the later of those that exclude each other; what was said."""
    settings = aligner().settings
    conflicts: list[str] = []
    for among in list(here.clashes):
        if set(among) <= set(wanted):
            if can_hold(*here.sides, gain, among, settings):
                continue
            conflicts.append(_sentence(among, here.sides))
            wanted = [one for one in wanted if one != among[-1]]
    while True:
        try:
            aligned = align_under(*here.sides, gain, wanted, settings, k=UNPACKED)
            return aligned, tuple(conflicts)
        except Contradiction as error:
            among = tuple(one for one in error.among if isinstance(one, Constraint))
            if not among:
                raise NotReady(
                    _("The aligner finds no links for these trees.")
                ) from error
            here.clashes[:] = [among, *here.clashes][:CLASHES]
            conflicts.append(_sentence(among, here.sides))
            wanted = [one for one in wanted if one != among[-1]]


def _sentence(
    among: Sequence[Constraint], sides: tuple[BinaryForest, BinaryForest]
) -> str:
    """Why these cannot all hold, for the reader."""
    named = [_named(one, sides) for one in among]
    if len(named) == 1:
        reason = _("No alignment includes %(what)s; the suggestions ignore it.")
        return reason % {"what": named[0]}
    reason = _(
        "No alignment includes both %(some)s and %(last)s; the "
        "suggestions ignore the last. Your decisions are kept."
    )
    return reason % {"some": ", ".join(named[:-1]), "last": named[-1]}


def _named(one: Constraint, sides: tuple[BinaryForest, BinaryForest]) -> str:
    words = [
        f"“{' '.join(side.words[slice(*place)])}”"
        for side, place in zip(sides, (one.source, one.target), strict=True)
        if place is not None
    ]
    sign = {"must-not-link": " ≠ ", "must-null": ""}.get(one.rule, " = ")
    if len(words) == 1:
        return _("%(words)s with no counterpart") % {"words": words[0]}
    return sign.join(words)


def _supports(aligned: Aligned, trees: tuple[Tree, Tree]) -> dict[str, list[str]]:
    """By "s t" refs, the links right below each link."""
    by_span = [{span: ref for ref, span in _spans(tree).items()} for tree in trees]

    def name(pair: tuple[int, int]) -> str:
        refs = []
        for side, v, known in zip(
            (aligned.source, aligned.target), pair, by_span, strict=True
        ):
            refs.append(known.get(side.places[v], ""))
        return " ".join(refs)

    return {
        name(pair): [name(one) for one in below]
        for pair, below in aligned.best.supports.items()
    }


def _grounds(supports: Iterable[str], ready: Ready) -> dict[str, str]:
    """What links two words automatically, where the dictionary knows."""
    grounds = {}
    for cell in supports:
        s, _space, t = cell.partition(" ")
        if s[:1] == t[:1] == "w":
            ground = GROUNDS.get(ready.related[int(s[1:])][int(t[1:])], "")
            grounds[cell] = str(ground) or _("similar in spelling, context or position")
    return grounds


is_cold = threading.Event()  # set by a process of a web server as it starts


def warm_soon() -> None:
    """Begin to load what the first suggestion would wait for, when someone opens a
    pair: in the engine process, or without one in this process, once."""
    if engine.is_there():
        engine.warm()
    if is_cold.is_set():
        is_cold.clear()
        threading.Thread(target=warm, daemon=True).start()


def warm() -> None:
    """Load all that the first suggestion of a process would have to wait for."""
    words = Sentence.of("a b")
    tree = tree_of_phrases([(0, 2, "S")], words=words.forms, tags=("X", "X"))
    side = side_of_tree(tree)
    warm_thesaurus()
    with contextlib.suppress(NotReady, Contradiction):
        of = aligner()
        gains = of.gains(side, side, None)
        gain = of.regaining(side, side).of(gains, np.eye(2))
        wanted = [Constraint("must-link", (0, 1), (0, 1))]
        best = align_under(side, side, gain, wanted, of.settings, k=UNPACKED)
        alignment_of(best, (tree, tree))


FORESTS_CACHED = 16  # pairs whose forests are kept in memory
MARGIN = 1.0  # nats by which another tree must be better to be worth a word
Sides = tuple[BinaryForest, BinaryForest]


@dataclass(frozen=True, slots=True)
class Preferred:
    """Another tree of one side. ``nats``: by how much both sides' trees are better;
    None where a phrase of the present one is ruled out. ``only_here, not_here``: its
    phrases, and those of the present tree alone. ``parse``: its code, once taken."""

    side: SideName
    nats: float | None
    only_here: tuple[str, ...]
    not_here: tuple[str, ...]
    parse: str = ""


def prefer(
    pair: Pair, parses: Parses, decided: Decided, *, by: Anybody, take: str = ""
) -> list[Preferred]:
    """The trees that go better with what is decided, none or one a side.

    ``take``: the side ("s", "t") whose tree to store. A side without a forest, or whose
    tree is not in it (gold, pasted), keeps its tree. Raises as ``proposing.propose``,
    and NotAllowed.
    """
    access.require(by, "annotate", pair.corpus.project)
    here = ready(pair, parses)
    rows = PackedForest.objects.filter(sentence_id__in={p.sentence_id for p in parses})
    last = dict(rows.order_by("pk").values_list("sentence_id", "pk"))
    forests = _forests(here, *(last.get(parse.sentence_id, 0) for parse in parses))
    preferred = _better(forests, here.trees, here.sides, decided)
    sentences = {"s": pair.source, "t": pair.target}
    return [
        replace(one, parse=phrases.store_tree(sentences[one.side], tree).code)
        if one.side == take
        else one
        for one, tree in preferred
    ]


@dataclass(frozen=True, eq=False)
class _Forests:
    """Both sides, as forests where there are any, and what their links gain."""

    sides: Sides
    gains: Floats
    regaining: Regaining


@lru_cache(maxsize=FORESTS_CACHED)
def _forests(here: Ready, source: int, target: int) -> _Forests:
    """By the trees in hand and the keys of the forests, which never change once they
    are stored; 0: there is none. O(n_s n_t) space, about 1 MB at 25 tokens."""
    sides = [
        _forest_side(pk, tree) or side
        for pk, tree, side in zip((source, target), here.trees, here.sides, strict=True)
    ]
    both = sides[0], sides[1]
    return _Forests(both, aligner().gains(*both, None), aligner().regaining(*both))


def _better(
    forests: _Forests, trees: tuple[Tree, Tree], in_hand: Sides, decided: Decided
) -> list[tuple[Preferred, Tree]]:
    sides = forests.sides
    wanted = constraints(decided, trees)
    brackets = [_bracket(*one) for one in decided.brackets]
    best = _over(forests, [*wanted, *brackets])
    now = _over(forests, [*wanted, *brackets, *_phrases(trees, sides, in_hand)])
    if best is None:
        return []
    nats = best.best.score - now.best.score if now is not None else None
    if nats is not None and nats < MARGIN:
        return []
    preferred = []
    for which, name in enumerate(get_args(SideName)):
        if sides[which] is in_hand[which]:
            continue
        tree = tree_of(best.best, sides[which], which)
        more, less = _difference(tree, trees[which]), _difference(trees[which], tree)
        if more or less:
            preferred.append((Preferred(name, nats, more, less), tree))
    return preferred


def _forest_side(pk: int, tree: Tree) -> BinaryForest | None:
    """This forest; None if it is missing or does not hold the tree."""
    row = PackedForest.objects.filter(pk=pk).first()
    stored = row.to_core() if row else None
    if stored is None:
        return None
    try:
        side = side_of_packed(stored.forest, stored.weights, tree.words, tree.tags)
    except InvalidValue:
        return None
    named = {_place(side, v) for v in range(side.n_nodes) if side.named[v]}
    return side if _places(tree) <= named else None


def _place(side: BinaryForest, v: int) -> Place:
    row = side.members[v]
    return int(row.argmax()), len(row) - int(row[::-1].argmax())


def _places(tree: Tree) -> set[Place]:
    return {(a, b) for a, b in tree.spans if b > a}


def _over(forests: _Forests, wanted: Sequence[Constraint]) -> Aligned | None:
    held = held_words(forests.sides, wanted)
    gain = forests.regaining.of(forests.gains, held)
    try:
        return align_under(*forests.sides, gain, wanted, aligner().settings)
    except Contradiction:
        return None


def _phrases(
    trees: tuple[Tree, Tree], sides: Sides, in_hand: Sides
) -> list[Constraint]:
    """The phrases of the trees in hand, on the sides that could have others."""
    names = get_args(SideName)
    return [
        _bracket(names[which], place, "must-bracket")
        for which, tree in enumerate(trees)
        if sides[which] is not in_hand[which]
        for place in sorted(_places(tree))
        if place[1] - place[0] > 1
    ]


def _bracket(side: SideName, place: Place, rule: str) -> Constraint:
    ends = (place, None) if side == "s" else (None, place)
    return Constraint(rule, *ends)  # type: ignore[arg-type]


def _difference(a: Tree, b: Tree) -> tuple[str, ...]:
    """The phrases of ``a`` over words over which ``b`` has none."""
    there = _places(b)
    return tuple(
        f"{a.labels[v]} {' '.join(a.words[slice(*a.spans[v])])}"
        for v in range(len(a))
        if not a.is_leaf(v) and a.spans[v][1] > a.spans[v][0]
        if a.spans[v] not in there
    )
