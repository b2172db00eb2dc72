"""Edited, split or joined words of a draft, and how the sentence takes them over.

A draft has its own words, so a person's typing is theirs until it is gold. With the
gold tree they become the sentence's. Parses never change: earlier trees keep the former
words, and still fit, since they count words; the gold trees record in ``Parse.meta``
what was typed when.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotator.errors import BadRequest, Conflict
from annotator.models import (
    Origin,
    PackedForest,
    Pair,
    Parse,
    Sentence,
    TreeDraft,
    TreeEvent,
)
from core.data.tree import Tree
from core.errors import FormatError, InvalidValue
from core.formats import treetext
from core.trees import arcs, editing
from core.trees import stepping as trees
from core.trees.arc_lines import Arcs
from core.trees.arcs import Restore
from core.trees.editing import Retype
from core.trees.segments import Recut, recut
from core.trees.splitting import Join, Split
from core.trees.words import in_text, with_forms

CUT_FROM = "cut_from"  # in Parse.meta of gold: words before others were split, joined
BEGAN = "began_on"  # in Parse.meta: the words before some were split or joined
CUTS = (Split.op, Join.op, Restore.op)
RETYPED = "retyped"  # in Parse.meta: rows of position, former word, word
Typed = dict[int, tuple[str, str]]
"""By position what a word was, and what someone typed instead."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A tree on the words that the sentence will have; ``typed``: what is new in it;
    ``cut``: what becomes of each word, if some were split or joined."""

    text: str
    meta: dict[str, Any]
    typed: Typed
    cut: Recut | None = None


@dataclass(frozen=True, slots=True)
class WordDifference:
    """A word, or words, of which a draft and the sentence say different things.

    ``is_own``: the draft's was typed in it; else the sentence's was typed since."""

    number: int  # from 1, as people count
    draft: str
    sentence: str
    is_own: bool


def of(made: TreeDraft | Parse, sentence: Sentence) -> Typed:
    """Edited words of a draft, or of a person's own tree; one query. None where words
    were split or joined, which a comparison of all words shows.

    Also where a draft that once had the word of ``sentence`` now has another: undoing a
    saved word is an edit, too.
    """
    if isinstance(made, Parse):
        return _noted([made.meta]) if made.origin == Origin.ANNOTATOR else {}
    if has_cuts(made):
        return {}
    based = of(made.base, sentence) if made.base else {}
    had = {token: [*pair] for token, pair in based.items()}
    for event in made.events.filter(op=Retype.op).order_by("revision"):
        token = int(event.done["token"])
        words = had.setdefault(token, [_words_before(event)[token]])
        words.append(str(event.done["form"]))
    forms, typed, now = sentence.forms, {}, words_of(made)
    for token, words in had.items():
        was = forms[token] if forms[token] in words else words[0]
        typed[token] = was, now[token]
    return {token: pair for token, pair in typed.items() if pair[0] != pair[1]}


def _words_before(event: TreeEvent) -> Mapping[int, str] | Sequence[str]:
    """The words by position; an older event knows but the one that was retyped."""
    back = event.back
    if "form" in back:
        return {int(event.done["token"]): str(back["form"])}
    if event.draft.kind == Parse.Kind.DEPENDENCY:
        return Arcs(back["lines"]).words
    return trees.Restore.read(back).tree.words


def note(typed: Typed) -> dict[str, Any]:
    """The part that a parse stores, in ``meta``."""
    rows = [[token, was, word] for token, (was, word) in sorted(typed.items())]
    return {RETYPED: rows} if rows else {}


def _noted(metas: Iterable[Mapping[str, Any]]) -> Typed:
    rows = (row for meta in metas for row in meta.get(RETYPED, ()))
    return {int(token): (str(was), str(word)) for token, was, word in rows}


def _former(sentence: Sentence) -> dict[int, set[str]]:
    """By position all words that gold trees had there before they were edited."""
    golds = sentence.parses.filter(origin=Origin.GOLD)  # which has the account of all
    former: dict[int, set[str]] = {}
    for meta in golds.values_list("meta", flat=True):
        for token, was, word in meta.get(RETYPED, ()):
            former.setdefault(int(token), set()).update((str(was), str(word)))
    return former


def _cut_from(sentence: Sentence) -> list[list[str]]:
    """All words that the sentence had before some were split or joined."""
    golds = sentence.parses.filter(origin=Origin.GOLD)
    metas = golds.values_list("meta", flat=True)
    return [words for meta in metas for words in meta.get(CUT_FROM, ())]


def _typed_since(
    sentence: Sentence, words: Sequence[str], own: Typed
) -> dict[int, str]:
    """The words that were edited since: those of the sentence, by position."""
    former, forms = _former(sentence), sentence.forms
    return {
        i: forms[i]
        for i, known in former.items()
        if i < len(words) and i not in own and words[i] != forms[i]
        if words[i] in known
    }


def up_to_date(sentence: Sentence, parse: Parse, tree: Tree | Arcs) -> Any:
    """The tree of a parse with the words that were edited since it was made, split
    and joined as they were; raises InvalidValue where it cannot be."""
    formerly = _cut_from(sentence)
    is_former = list(tree.words) in formerly and list(tree.words) != sentence.forms
    if is_former or len(tree.words) != sentence.n_tokens:
        cut = recut(tree.words, sentence.forms)
        if cut is None or len(tree.words) not in map(len, formerly):
            raise InvalidValue("This tree has other words than its sentence.")
        return _recut(tree, cut)
    return with_words(tree, _typed_since(sentence, tree.words, of(parse, sentence)))


def over(tree: Tree | Arcs, words: Sequence[str]) -> Any:
    """A tree on these words, whether edited, split or joined; raises BadRequest
    where it cannot be."""
    if len(words) == len(tree.words):
        return with_words(tree, dict(enumerate(words)))
    cut = recut(tree.words, words)
    try:
        if cut is None:
            raise InvalidValue("This tree has other words than its sentence.")
        return _recut(tree, cut)
    except InvalidValue as error:
        raise BadRequest(str(error), field="source") from error


def with_words(tree: Tree | Arcs, forms: Mapping[int, str]) -> Any:
    """A tree of either kind with these words by position."""
    if not forms:
        return tree
    return with_forms(tree, forms) if isinstance(tree, Tree) else tree.with_forms(forms)


def _recut(tree: Tree | Arcs, cut: Recut) -> Any:
    return cut.on_tree(tree) if isinstance(tree, Tree) else cut.on_arcs(tree)


def has_cuts(draft: TreeDraft) -> bool:
    """Whether words were ever split or joined in a draft, also if that is undone."""
    return draft.events.filter(op__in=CUTS).exists()


def trees_of(draft: TreeDraft) -> list[Any]:
    """The draft as it began, and after each step: each event knows its way back."""
    trees = [tree_of(draft)]
    for event in draft.events.order_by("-revision"):
        back = arcs if isinstance(trees[-1], Arcs) else editing
        trees.append(back.read(event.back).on(trees[-1]).tree)
    return trees[::-1]


def _states(draft: TreeDraft) -> list[tuple[str, ...]]:
    """The words of a draft as it began, and after each step."""
    return [tree.words for tree in trees_of(draft)]


def began_on(draft: TreeDraft) -> tuple[str, ...]:
    """The words before the first step."""
    return _states(draft)[0]


def words_of(parse: TreeDraft | Parse) -> tuple[str, ...]:
    """The words of a tree of either kind; none if it cannot be read."""
    try:
        return tree_of(parse).words
    except (FormatError, InvalidValue):
        return ()


def tree_of(made: TreeDraft | Parse) -> Any:
    """The Tree or the Arcs of it; raises FormatError, InvalidValue."""
    if made.kind == Parse.Kind.DEPENDENCY:
        return Arcs(made.text)
    return treetext.load(made.text, made.meta)


def differences(draft: TreeDraft) -> list[WordDifference]:
    """Where the draft's words differ from the sentence, for its editor."""
    sentence, words = draft.sentence, words_of(draft)
    if _is_cut(draft, sentence):
        return _cut_differences(draft, words)
    own, forms = of(draft, sentence), sentence.forms
    since = _typed_since(sentence, words, own)
    return [
        WordDifference(i + 1, words[i], forms[i], is_own=i in own)
        for i in sorted(own.keys() | since.keys())
        if words[i] != forms[i]
    ]


def _is_cut(made: TreeDraft | Parse, sentence: Sentence) -> bool:
    """Whether words of either were split or joined, as far as the other knows."""
    if len(words_of(made)) != sentence.n_tokens:
        return True
    return has_cuts(made) if isinstance(made, TreeDraft) else BEGAN in made.meta


def _cut_differences(draft: TreeDraft, words: tuple[str, ...]) -> list[WordDifference]:
    forms = tuple(draft.sentence.forms)
    cut = recut(forms, words)
    is_own = forms in _states(draft)
    return [
        WordDifference(at + 1, now, was, is_own=is_own)
        for at, (was, now) in (cut.changed if cut else {}).items()
    ]


def settled(made: TreeDraft | Parse, sentence: Sentence) -> Settled:
    """The tree as it can be gold: with what was typed in it, else the sentence's words.

    Raises Conflict where someone has typed the same word again meanwhile, or split or
    joined words where words were changed here, too.
    """
    if _is_cut(made, sentence):
        return _settled_cut(made, sentence)
    own, forms = of(made, sentence), sentence.forms
    former = _former(sentence) if own else {}
    for i, (was, word) in own.items():
        if forms[i] not in (was, word) and i in former:
            raise Conflict(_both_typed(i, word, forms[i]))
    typed = {i: (forms[i], word) for i, (_was, word) in own.items() if forms[i] != word}
    since = _typed_since(sentence, words_of(made), own)
    if not since:
        return Settled(made.text, dict(made.meta), typed)
    text, notes = _written(with_words(tree_of(made), since))
    return Settled(text, _without_notes(made.meta) | notes, typed)


def _settled_cut(made: TreeDraft | Parse, sentence: Sentence) -> Settled:
    words, forms = words_of(made), tuple(sentence.forms)
    if isinstance(made, TreeDraft):
        states = _states(made)
        meta = dict(made.meta)
    else:
        states = [tuple(made.meta.get(BEGAN, words)), words]
        meta = {name: value for name, value in made.meta.items() if name != BEGAN}
    if words == forms:
        return Settled(made.text, meta, {})
    is_own = forms in states
    cut = recut(forms, words) if is_own else recut(words, forms)
    if cut is None or (not is_own and words != states[0]):
        raise Conflict(_both_cut(words, forms))
    if is_own:
        return Settled(made.text, meta, cut.changed, cut)
    try:
        tree = _recut(tree_of(made), cut)
    except InvalidValue as error:
        reason = _("Words of the sentence were joined meanwhile: %(reason)s")
        raise Conflict(reason % {"reason": error}) from error
    text, notes = _written(tree)
    return Settled(text, _without_notes(meta) | notes, {})


def _written(tree: Tree | Arcs) -> tuple[str, dict[str, Any]]:
    return (tree.lines, {}) if isinstance(tree, Arcs) else treetext.dump(tree)


def account(kept: Mapping[str, Any], new: Settled) -> dict[str, Any]:
    """All edits of the gold trees so far, at the words' present places, and the words
    before splits and joins, for ``Parse.meta``."""
    rows, formerly = [*kept.get(RETYPED, ())], [*kept.get(CUT_FROM, ())]
    if new.cut is None:
        rows += note(new.typed).get(RETYPED, ())
    else:
        places = ((new.cut.moved(int(row[0])), row) for row in rows)
        rows = [[at[0], *row[1:]] for at, row in places if len(at) == 1]
        formerly = [w for w in formerly if w != list(new.cut.was)] + [[*new.cut.was]]
    named = {RETYPED: rows, CUT_FROM: formerly}
    return {name: kept for name, kept in named.items() if kept}


def brought_along(
    gold: Parse, sentence: Sentence, new: Settled
) -> tuple[str, dict[str, Any]] | None:
    """Text and notes of the other gold tree on the new words; None if it cannot be
    read, or is of other words anyhow. Raises Conflict where words cannot be joined."""
    try:
        tree = tree_of(gold)
    except (FormatError, InvalidValue):
        return None
    if new.cut is None:
        if len(tree.words) != sentence.n_tokens:
            return None
        typed = new.typed.items()
        words = {i: word for i, (was, word) in typed if tree.words[i] == was}
        return _written(with_words(tree, words))
    if len(tree.words) != len(new.cut.was):
        return None
    try:
        return _written(_recut(tree, new.cut))
    except InvalidValue as error:
        is_arcs = gold.kind == Parse.Kind.DEPENDENCY
        where = _("the gold arcs") if is_arcs else _("the gold constituents")
        reason = _("In %(where)s these words cannot be joined: %(reason)s")
        raise Conflict(reason % {"where": where, "reason": error}) from error


def _both_cut(words: tuple[str, ...], forms: tuple[str, ...]) -> str:
    cut = recut(forms, words)
    apart = cut.changed.values() if cut else [(" ".join(forms), " ".join(words))]
    listed = "; ".join(f"“{there}” / “{here}”" for there, here in apart)
    reason = _(
        "Someone else also changed words of the sentence (there / here): %(words)s. "
        "Undo your changes to take theirs when you save, or make the same changes here."
    )
    return reason % {"words": listed}


def _both_typed(i: int, word: str, there: str) -> str:
    reason = _(
        "Word %(n)s was also edited by someone else: it is “%(there)s” "
        "now, and “%(word)s” here. Type the right form, or undo."
    )
    return reason % {"n": i + 1, "there": there, "word": word}


def _without_notes(meta: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in meta.items() if name not in treetext.NOTES}


def store(sentence: Sentence, typed: Typed, cut: Recut | None = None) -> bool:
    """The words become the sentence's, in its raw text and that of its pairs, too.

    False: the raw text does not hold the words as they are, and stays. The caller holds
    the sentence and the transaction.
    """
    forms, former = sentence.forms, sentence.text
    new = {i: word for i, (_was, word) in typed.items()}
    text = cut.in_text(former) if cut else in_text(former, forms, new)
    words = cut.now if cut else [new.get(i, form) for i, form in enumerate(forms)]
    sentence.tokens, sentence.n_tokens = Sentence.join(words), len(words)
    sentence.text = former if text is None else text
    if cut:
        sources = cut.sources()
        sentence.columns = {
            name: [values[i] for i in sources] if _is_row(values, forms) else values
            for name, values in sentence.columns.items()
        }
    sentence.save(update_fields=["tokens", "n_tokens", "text", "columns"])
    for name in ("source", "target"):
        for pair in Pair.objects.filter(**{name: sentence}):
            sides = {"source": pair.source_text, "target": pair.target_text}
            if sides[name] == former:
                sides[name] = sentence.text
                pair.text = f"{sides['source']}\n{sides['target']}"
            setattr(pair, f"n_{name}", len(words))
            pair.save(update_fields=["text", f"n_{name}"])
    return text is not None


def _is_row(values: Any, forms: Sequence[str]) -> bool:
    """Whether a column holds a value a word."""
    return isinstance(values, list) and len(values) == len(forms)


FORMERLY = ", former words"


def name_engines(sentence: Sentence) -> None:
    """Trees and forests over another number of words than the sentence's are named
    so, and those over as many no longer."""
    n = sentence.n_tokens
    rows = sentence.parses.filter(origin=Origin.ENGINE)
    forests = PackedForest.objects.filter(sentence=sentence)
    fits: list[tuple[Parse | PackedForest, bool]] = [
        *((row, len(words_of(row)) == n) for row in rows),
        *((row, _n_words(row) == n) for row in forests),
    ]
    for row, is_now in sorted(fits, key=lambda one: one[1]):  # first those that leave
        name = row.version.removesuffix(FORMERLY) + ("" if is_now else FORMERLY)
        if name != row.version and not _is_taken(row, name):
            row.version = name
            row.save(update_fields=["version"])


def _n_words(row: PackedForest) -> int:
    stored = row.to_core()
    return stored.forest.n_tokens if stored else -1


def _is_taken(row: Parse | PackedForest, name: str) -> bool:
    same = {"sentence": row.sentence_id, "engine": row.engine, "version": name}
    if isinstance(row, PackedForest):
        return PackedForest.objects.filter(**same).exists()
    same |= {"kind": row.kind, "rank": row.rank}
    return Parse.objects.filter(**same, origin=Origin.ENGINE).exists()
