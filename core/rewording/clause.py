"""A sentence with its dependency tree, to be taken apart and put together again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.data.deps import ROOT, DepTree
from core.data.tokens import Sentence, Token

NAMES = frozenset({"NNP", "NNPS"})


@dataclass(slots=True, eq=False)
class Word:
    """A token; ``head`` None: the root. Two words are the same only by identity."""

    form: str
    lemma: str
    upos: str
    xpos: str
    label: str
    head: "Word | None" = field(default=None, repr=False)

    @property
    def relation(self) -> str:
        """The label without its subtype."""
        return self.label.partition(":")[0]

    @property
    def is_mark(self) -> bool:
        return self.upos == "PUNCT"


class Clause:
    """Words in their order. Whatever is changed: heads must stay among the words."""

    def __init__(self, words: Iterable[Word]) -> None:
        self.words = list(words)

    @classmethod
    def of(cls, sentence: Sentence, deps: DepTree) -> "Clause":
        """Return a copy of a dependency tree; it may be changed freely."""
        words = [
            Word(token.form, token.lemma, token.upos, token.xpos, label)
            for token, label in zip(sentence.tokens, deps.labels, strict=True)
        ]
        for word, head in zip(words, deps.heads, strict=True):
            word.head = None if head == ROOT else words[head]
        return cls(words)

    def tree(self) -> tuple[Sentence, DepTree]:
        """Return the words as a sentence and its dependency tree."""
        at = {id(word): i for i, word in enumerate(self.words)}
        heads = tuple(ROOT if w.head is None else at[id(w.head)] for w in self.words)
        tokens = tuple(
            Token(w.form, lemma=w.lemma, upos=w.upos, xpos=w.xpos) for w in self.words
        )
        return Sentence(tokens), DepTree(heads, tuple(w.label for w in self.words))

    def at(self, word: Word) -> int:
        return next(i for i, other in enumerate(self.words) if other is word)

    def children(self, word: Word) -> list[Word]:
        return [other for other in self.words if other.head is word]

    def below(self, word: Word) -> list[Word] | None:
        """The word with all that hangs from it, in order; None if others stand
        between."""
        children: dict[int, list[Word]] = {}
        for other in self.words:
            children.setdefault(id(other.head), []).append(other)
        inside, rest = {id(word)}, [word]
        while rest:
            more = children.get(id(rest.pop()), [])
            inside |= {id(other) for other in more}
            rest += more
        places = [i for i, w in enumerate(self.words) if id(w) in inside]
        if places[-1] - places[0] + 1 != len(places):
            return None
        return self.words[places[0] : places[-1] + 1]

    def take(self, part: Sequence[Word]) -> None:
        """Take words out; those that hang from them must go, too, or get new heads."""
        gone = {id(word) for word in part}
        self.words = [word for word in self.words if id(word) not in gone]

    def put(self, part: Sequence[Word], at: int) -> None:
        self.words[at:at] = part

    @property
    def first(self) -> int:
        """The place of the first word that is no punctuation."""
        return next((i for i, w in enumerate(self.words) if not w.is_mark), 0)

    @property
    def end(self) -> int:
        """The place after the last word that is no punctuation."""
        order = range(len(self.words), 0, -1)
        return next((i for i in order if not self.words[i - 1].is_mark), 0)

    def is_whole(self) -> bool:
        """Whether every head is among the words, and one word is the root."""
        there = {id(word) for word in self.words}
        heads = [word.head for word in self.words]
        return heads.count(None) == 1 and all(
            head is None or id(head) in there for head in heads
        )


def small(word: Word) -> None:
    """Without the capital that a first word has, unless it is a name."""
    form = word.form
    if word.xpos not in NAMES and form != "I" and form[1:] == form[1:].lower():
        word.form = form.lower()


def capital(word: Word) -> None:
    word.form = word.form[:1].upper() + word.form[1:]
