"""Words typed anew in a draft, and how they become those of the sentence.

A draft has words of its own, so that a person's typing is theirs until it is gold. With
the gold tree they become the sentence's. Parses never change: trees from before keep
the former words, and fit, since they count words; of what was typed when, the gold
trees keep account in ``Parse.meta``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotator.errors import Conflict
from annotator.models import Origin, Pair, Parse, Sentence, TreeDraft
from core.data.tree import Tree
from core.errors import FormatError, InvalidValue
from core.formats import treetext
from core.trees.arcs import Arcs
from core.trees.editing import Retype
from core.trees.words import in_text, with_forms

__all__ = [
    "RETYPED",
    "Settled",
    "Typed",
    "WordDifference",
    "differences",
    "note",
    "of",
    "settled",
    "store",
    "up_to_date",
    "with_words",
    "words_of",
]

RETYPED = "retyped"  # in Parse.meta: rows of position, former word, word
Typed = dict[int, tuple[str, str]]
"""By position what a word was, and what somebody typed instead."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A tree on the words that the sentence will have; ``typed``: what is new in it."""

    text: str
    meta: dict[str, Any]
    typed: Typed


@dataclass(frozen=True, slots=True)
class WordDifference:
    """A word of which a draft and the sentence say different things.

    ``is_own``: the draft's was typed in it; else the sentence's was typed since."""

    number: int  # from 1, as people count
    draft: str
    sentence: str
    is_own: bool


def of(made: TreeDraft | Parse, sentence: Sentence) -> Typed:
    """What was typed anew in a draft, or in somebody's own tree; one query.

    Also where a draft that once had the word of ``sentence`` now has another: whoever
    takes a word back that they saved means it.
    """
    if isinstance(made, Parse):
        return _noted([made.meta]) if made.origin == Origin.ANNOTATOR else {}
    based = of(made.base, sentence) if made.base else {}
    had = {token: [*pair] for token, pair in based.items()}
    events = made.events.filter(done__op=Retype.op).order_by("revision")
    for done, back in events.values_list("done", "back"):
        words = had.setdefault(int(done["token"]), [str(back["form"])])
        words.append(str(done["form"]))
    forms, typed = sentence.forms, {}
    for token, words in had.items():
        was = forms[token] if forms[token] in words else words[0]
        typed[token] = was, words[-1]
    return {token: pair for token, pair in typed.items() if pair[0] != pair[1]}


def note(typed: Typed) -> dict[str, Any]:
    """What a parse keeps of it, in ``meta``."""
    rows = [[token, was, word] for token, (was, word) in sorted(typed.items())]
    return {RETYPED: rows} if rows else {}


def _noted(metas: Iterable[Mapping[str, Any]]) -> Typed:
    rows = (row for meta in metas for row in meta.get(RETYPED, ()))
    return {int(token): (str(was), str(word)) for token, was, word in rows}


def _former(sentence: Sentence) -> dict[int, set[str]]:
    """By position all words that gold trees had there before they were typed anew."""
    golds = sentence.parses.filter(origin__in=(Origin.GOLD, Origin.FORMER))
    former: dict[int, set[str]] = {}
    for meta in golds.values_list("meta", flat=True):
        for token, was, word in meta.get(RETYPED, ()):
            former.setdefault(int(token), set()).update((str(was), str(word)))
    return former


def _typed_since(
    sentence: Sentence, words: Sequence[str], own: Typed
) -> dict[int, str]:
    """The words that were typed anew since: those of the sentence, by position."""
    former, forms = _former(sentence), sentence.forms
    return {
        i: forms[i]
        for i, known in former.items()
        if i < len(words) and i not in own and words[i] != forms[i]
        if words[i] in known
    }


def up_to_date(sentence: Sentence, parse: Parse, tree: Tree | Arcs) -> Any:
    """The tree of a parse with the words that were typed anew since it was made."""
    return with_words(tree, _typed_since(sentence, tree.words, of(parse, sentence)))


def with_words(tree: Tree | Arcs, forms: Mapping[int, str]) -> Any:
    """A tree of either kind with these words by position."""
    if not forms:
        return tree
    return with_forms(tree, forms) if isinstance(tree, Tree) else tree.with_forms(forms)


def words_of(parse: TreeDraft | Parse) -> tuple[str, ...]:
    """The words of a tree of either kind; none if it cannot be read."""
    try:
        return _tree(parse).words
    except (FormatError, InvalidValue):
        return ()


def _tree(made: TreeDraft | Parse) -> Tree | Arcs:
    if made.kind == Parse.Kind.DEPENDENCY:
        return Arcs(made.text)
    return treetext.load(made.text, made.meta)


def differences(draft: TreeDraft) -> list[WordDifference]:
    """Where the draft's words are not those of the sentence, for whoever edits it."""
    sentence, words = draft.sentence, words_of(draft)
    own, forms = of(draft, sentence), sentence.forms
    since = _typed_since(sentence, words, own)
    return [
        WordDifference(i + 1, words[i], forms[i], is_own=i in own)
        for i in sorted(own.keys() | since.keys())
        if words[i] != forms[i]
    ]


def settled(made: TreeDraft | Parse, sentence: Sentence) -> Settled:
    """The tree as it can be gold: with what was typed in it, else the sentence's words.

    Raises Conflict where somebody has typed the same word anew meanwhile.
    """
    own, forms = of(made, sentence), sentence.forms
    former = _former(sentence) if own else {}
    for i, (was, word) in own.items():
        if forms[i] not in (was, word) and i in former:
            raise Conflict(_both_typed(i, word, forms[i]))
    typed = {i: (forms[i], word) for i, (_was, word) in own.items() if forms[i] != word}
    since = _typed_since(sentence, words_of(made), own)
    if not since:
        return Settled(made.text, dict(made.meta), typed)
    tree = with_words(_tree(made), since)
    if isinstance(tree, Arcs):
        return Settled(tree.lines, dict(made.meta), typed)
    text, notes = treetext.dump(tree)
    return Settled(text, _without_notes(made.meta) | notes, typed)


def _both_typed(i: int, word: str, there: str) -> str:
    reason = _(
        "Word %(n)s was typed anew by somebody else, too: it is “%(there)s” now, and "
        "“%(word)s” here. Type it as it is to be, or undo."
    )
    return reason % {"n": i + 1, "there": there, "word": word}


def _without_notes(meta: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in meta.items() if name not in treetext.NOTES}


def store(sentence: Sentence, typed: Typed) -> bool:
    """The words become the sentence's, in its raw text and that of its pairs, too.

    False: the raw text does not hold the words as they are, and stays. The caller holds
    the sentence and the transaction.
    """
    forms, former = sentence.forms, sentence.text
    new = {i: word for i, (_was, word) in typed.items()}
    text = in_text(former, forms, new)
    sentence.tokens = Sentence.join(new.get(i, form) for i, form in enumerate(forms))
    sentence.text = former if text is None else text
    sentence.save(update_fields=["tokens", "text"])
    for name in ("source", "target"):
        for pair in Pair.objects.filter(**{name: sentence}):
            sides = {"source": pair.source_text, "target": pair.target_text}
            if sides[name] == former:
                sides[name] = sentence.text
                pair.text = f"{sides['source']}\n{sides['target']}"
                pair.save(update_fields=["text"])
    return text is not None
