"""Ways to say a sentence in other words, done to its dependency tree.

Each takes a clause, changes it at a place drawn at random, and answers whether it
could; the tree of the outcome is as good as the one it began with. They are those that
people use when asked for a paraphrase: phrases move, conjuncts change places, an active
clause becomes a passive one, "the lid of the box" becomes "the box lid".
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

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


Participles = Mapping[str, str]
Rewording = Callable[[Clause, random.Random], bool]
Plan = tuple[Word, Word, Word, list[Word], list[Word]]
"""Three words that change places or labels, and the two phrases that move."""
MOVABLE = frozenset({"obl", "advcl", "advmod"})
LONGEST = 12  # words that move to the front
SHARED = frozenset({"case", "mark", "cop", "aux", "nsubj", "cc", "advmod", "expl"})
BOUND = frozenset({"aux", "cop", "xcomp", "ccomp", "iobj", "expl", "compound"})
ASKING = frozenset({"WDT", "WP", "WRB"})
NOUNS = frozenset({"NN", "NNS"})
PLURAL = frozenset({"NNS", "NNPS"})
OBJECTIVE = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
SUBJECTIVE = {there: here for here, there in OBJECTIVE.items()} | {"me": "I"}
DROPPED = frozenset({"obl", "amod", "appos", "parataxis", "acl", "nmod"})
KEPT = frozenset({"not", "n't", "never", "no"})


def rewordings(participles: Participles) -> list[Rewording]:
    """All there are; ``participles``: the past participle of each verb by lemma.

    A way that is there twice is tried twice as often.
    """

    def passive(clause: Clause, draw: random.Random) -> bool:
        return _passive(clause, draw, participles)

    twice = [_to_front, _to_back, _conjuncts, passive]
    return [*twice, *twice, _neighbours, _genitive, _possessive, _drop]


def _to_front(clause: Clause, draw: random.Random) -> bool:
    """ "She sang in May" -> "In May , she sang"."""
    root = _root(clause)
    after = clause.words[clause.at(root) :]
    parts = [
        part
        for word in after
        if word.head is root and word.relation in MOVABLE
        if (part := clause.below(word))
        and len(part) <= LONGEST
        and not part[-1].is_mark
    ]
    if not parts:
        return False
    part = draw.choice(parts)
    clause.take(part)
    at = clause.first
    at += clause.words[at].upos == "CCONJ"
    was_capital = clause.words[0].form[:1].isupper()
    if at == 0:
        small(clause.words[0])
    top = next(word for word in part if word.head is root)
    comma = [Word(",", ",", "PUNCT", ",", "punct", top)]
    clause.put([*part, *(comma if draw.random() < 0.8 else [])], at)
    if at == 0 and was_capital:
        capital(clause.words[0])
    return True


def _to_back(clause: Clause, draw: random.Random) -> bool:
    """ "In May , she sang" -> "She sang in May"."""
    root = _root(clause)
    parts = [
        part
        for word in clause.words[: clause.at(root)]
        if word.head is root and word.relation in MOVABLE
        if (part := clause.below(word)) and clause.at(part[0]) <= 1
        if part[-1].form == "," and part[-1].head is word
    ]
    if not parts:
        return False
    part = draw.choice(parts)
    was_capital = part[0].form[:1].isupper()
    small(part[0])
    clause.take(part)
    clause.put(part[:-1], clause.end)
    if was_capital:
        capital(clause.words[clause.first])
    return True


def _neighbours(clause: Clause, draw: random.Random) -> bool:
    """ "met him in May at home" -> "met him at home in May"."""
    pairs = [
        (clause.below(a), clause.below(b))
        for word in clause.words
        for a, b in _pairs_after(clause, word)
    ]
    ready = [(x, y) for x, y in pairs if x and y]
    ready = [(x, y) for x, y in ready if clause.at(x[-1]) + 1 == clause.at(y[0])]
    if not ready:
        return False
    first, second = draw.choice(ready)
    at = clause.at(first[0])
    clause.take(second)
    clause.put(second, at)
    return True


def _pairs_after(clause: Clause, word: Word) -> Iterator[tuple[Word, Word]]:
    """Phrases that follow the word they hang from, each with the next."""
    begin = clause.at(word) + 1
    movable = MOVABLE | {"nmod"}
    after = [w for w in clause.words[begin:] if w.head is word]
    after = [w for w in after if w.relation in movable]
    return pairwise(after)


def _conjuncts(clause: Clause, draw: random.Random) -> bool:
    """ "tea and milk" -> "milk and tea"; what stands before both stays before both."""
    plans = [plan for word in clause.words if (plan := _coordination(clause, word))]
    if not plans:
        return False
    first, second, link, part, other = draw.choice(plans)
    at = clause.at(part[0])
    clause.take([*part, *other])
    rest = [word for word in other if word is not link]
    clause.put([*rest, link, *part], at)
    inside = {id(word) for word in part}
    for word in clause.children(first):
        if id(word) not in inside and word is not second:
            word.head = second
    second.head, second.label = first.head, first.label
    first.head, first.label, link.head = second, "conj", first
    if at == 0:
        small(part[0])
        capital(clause.words[0])
    return True


def _coordination(clause: Clause, first: Word) -> Plan | None:
    """Two conjuncts, their conjunction, and the words of either; not of sentences."""
    children = clause.children(first)
    others = [word for word in children if word.relation == "conj"]
    if len(others) != 1 or (first.head is None and first.upos in ("VERB", "AUX")):
        return None
    links = [word for word in clause.children(others[0]) if word.relation == "cc"]
    other = clause.below(others[0])
    if len(links) != 1 or not other or other[0] is not links[0] or len(other) < 2:
        return None
    at, end = clause.at(first), clause.at(other[0])
    if end < at or any(clause.at(word) >= end + len(other) for word in children):
        return None
    left = [w for w in children if clause.at(w) < at and w.relation not in SHARED]
    begins = [part[0] for word in left if (part := clause.below(word))]
    begin = min([at, *(clause.at(word) for word in begins)])
    part = clause.words[begin:end]
    inside = {id(word) for word in part}
    is_own = all(word is first or id(word.head) in inside for word in part)
    if len(begins) < len(left) or not is_own or any(word.is_mark for word in part):
        return None
    return first, others[0], links[0], part, other


def _genitive(clause: Clause, draw: random.Random) -> bool:
    """ "lid of boxes" -> "boxes lid", "box lid" -> "lid of box"."""
    candidates = [
        word
        for word in clause.words
        if word.head is not None and word.head.xpos in NOUNS
        if _is_of(clause, word) or _is_compound(clause, word)
    ]
    if not candidates:
        return False
    word = draw.choice(candidates)
    head, of = word.head, clause.children(word)
    assert head is not None
    clause.take([word, *of])
    if of:
        clause.put([word], clause.at(head))
        word.label = "compound"
    else:
        made = Word("of", "of", "ADP", "IN", "case", word)
        clause.put([made, word], clause.at(head) + 1)
        word.label = "nmod"
    return True


def _is_of(clause: Clause, word: Word) -> bool:
    children, at = clause.children(word), clause.at(word)
    return (
        word.relation == "nmod"
        and word.xpos in NOUNS | {"NNP"}
        and [child.form for child in children] == ["of"]
        and not clause.children(children[0])
        and at >= 2
        and clause.words[at - 1] is children[0]
        and clause.words[at - 2] is word.head
    )


def _is_compound(clause: Clause, word: Word) -> bool:
    head, at = word.head, clause.at(word)
    if head is None or word.label != "compound" or clause.children(word):
        return False
    is_last = all(clause.at(other) <= at for other in clause.children(head))
    return is_last and at + 1 == clause.at(head) and at > 0


def _possessive(clause: Clause, draw: random.Random) -> bool:
    """ "Mina 's boat" -> "the boat of Mina"."""
    candidates = []
    for word in clause.words:
        part = clause.below(word)
        if word.label != "nmod:poss" or word.head is None or not part:
            continue
        is_before = clause.at(word.head) > clause.at(part[-1])
        if part[-1].xpos == "POS" and part[-1].head is word and is_before:
            candidates.append((word, part))
    if not candidates:
        return False
    word, part = draw.choice(candidates)
    at = clause.at(part[0])
    clause.take(part)
    head, part = word.head, part[:-1]
    assert head is not None
    the = Word("the", "the", "DET", "DT", "det", head)
    clause.put([the], at)
    if at == 0:
        small(part[0])
        capital(the)
    of = Word("of", "of", "ADP", "IN", "case", word)
    clause.put([of, *part], clause.at(head) + 1)
    word.label = "nmod"
    return True


def _passive(clause: Clause, draw: random.Random, participles: Participles) -> bool:
    """ "She sold boats" -> "boats were sold by her"."""
    plans = [plan for verb in clause.words if (plan := _active(clause, verb))]
    plans = [plan for plan in plans if plan[0].lemma in participles]
    if not plans:
        return False
    verb, subject, thing, before, after = draw.choice(plans)
    at = clause.at(before[0])
    if at == 0:
        small(before[0])
    _declined(before, OBJECTIVE)
    _declined(after, SUBJECTIVE)
    be = _be(clause, verb, thing)
    clause.take([*before, *after])
    clause.put([*after, be], at)
    by = Word("by", "by", "ADP", "IN", "case", subject)
    end = clause.at(verb) + 1
    clause.put([by, *before], end)
    verb.form, verb.xpos = participles[verb.lemma], "VBN"
    subject.label, thing.label = "obl:agent", "nsubj:pass"
    if at == 0:
        capital(clause.words[0])
    return True


def _active(clause: Clause, verb: Word) -> Plan | None:
    """A verb between its subject and its object, with the words of both."""
    children = clause.children(verb)
    if verb.xpos not in ("VBD", "VBZ", "VBP"):
        return None
    if any(word.relation in BOUND for word in children):
        return None
    subjects = [word for word in children if word.label == "nsubj"]
    things = [word for word in children if word.label == "obj"]
    if len(subjects) != 1 or len(things) != 1:
        return None
    before, after = clause.below(subjects[0]), clause.below(things[0])
    if before and before[-1].is_mark:
        return None  # "Mina , the judge , sold it": commas that would be left over
    if not before or not after or ASKING & {w.xpos for w in (*before, *after)}:
        return None
    if not clause.at(before[-1]) < clause.at(verb) < clause.at(after[0]):
        return None
    return verb, subjects[0], things[0], before, after


def _be(clause: Clause, verb: Word, thing: Word) -> Word:
    joined = any(word.relation == "conj" for word in clause.children(thing))
    many = joined or thing.xpos in PLURAL or thing.form.lower() in ("they", "we", "you")
    past = verb.xpos == "VBD"
    form = ("were" if many else "was") if past else ("are" if many else "is")
    return Word(form, "be", "AUX", verb.xpos, "aux:pass", verb)


def _declined(part: Sequence[Word], forms: Mapping[str, str]) -> None:
    """A lone pronoun in its other case."""
    if len(part) == 1 and part[0].xpos == "PRP":
        part[0].form = forms.get(part[0].form.lower(), part[0].form)


def _drop(clause: Clause, draw: random.Random) -> bool:
    """An adverb, a short phrase or "that" is left out."""
    candidates = []
    for word in clause.words:
        if word.head is None or word.form.lower() in KEPT:
            continue
        part = clause.below(word)
        is_that = word.relation == "mark" and word.form.lower() == "that"
        if part == [word] and (is_that or word.relation in ("advmod", "discourse")):
            candidates.append(part)
        elif part and len(part) <= 6 and word.relation in DROPPED:
            candidates += [part] if draw.random() < 0.4 else []
    if not candidates or len(clause.words) < 5:
        return False
    part = draw.choice(candidates)
    was_capital = part[0] is clause.words[0] and part[0].form[:1].isupper()
    clause.take(part)
    if was_capital:
        capital(clause.words[0])
    return True


def _root(clause: Clause) -> Word:
    return next(word for word in clause.words if word.head is None)
