"""Sentences next to rewordings of themselves, for parsers that read pairs.

A parser that is to profit from a paraphrase needs pairs to learn from, and there are
no treebanks of paraphrases. But a gold tree says which words move together: so every
sentence is reworded by its tree, some words are exchanged for like ones, and the two
are one example, either first. (Sahin & Steedman 2018 move phrases to have more
sentences, one at a time.)
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.data.check import Floats
from core.evaluation.golds import Gold
from lab.training.corpus import TrainingSentence
from lab.training.rewordings import Clause, Participles, Rewording, rewordings

Likes = Mapping[tuple[str, str], Sequence[str]]
"""By form in lower case and tag: forms that may stand in its place."""
OPEN = ("JJ", "JJR", "NN", "NNS", "RB", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
AUXILIARIES = frozenset(
    ["be", "have", "do", "get", "will", "would", "can", "could", "not", "may", "might"]
)
FORMS = frozenset(["is", "are", "was", "were", "been", "being", "has", "had", "did"])
MANY = (1, 2, 2, 3, 4)  # rewordings a sentence
SHARES = (0.0, 0.1, 0.3, 0.5)  # of its words that are exchanged
SHORTEST, LONGEST = 4, 55  # words: of those in between there are pairs


@dataclass(frozen=True, eq=False)
class Reworder:
    """Makes pairs of gold dependency trees; all it draws comes from ``draw``."""

    ways: Sequence[Rewording]
    likes: Likes
    draw: random.Random

    @classmethod
    def of(cls, golds: Iterable[Gold], likes: Likes, seed: int) -> "Reworder":
        """Return a Reworder that knows the participles of the gold sentences."""
        ways = rewordings(participles_of(golds))
        return cls(ways, likes, random.Random(seed))  # noqa: S311

    def pairs(self, golds: Iterable[Gold], treebank: str) -> Iterator[TrainingSentence]:
        """Yield an example of two sentences per dependency tree of fitting length."""
        for gold in golds:
            if gold.deps is None or not SHORTEST <= len(gold.deps) <= LONGEST:
                continue
            other = self.reworded(gold)
            both = [Clause.of(gold.sentence, gold.deps), other]
            self.draw.shuffle(both)
            yield _joined(*(example_of(one, treebank) for one in both))

    def reworded(self, gold: Gold) -> Clause:
        """Return the sentence reworded, as far as the rules allow."""
        assert gold.deps is not None
        clause, done = Clause.of(gold.sentence, gold.deps), 0
        wanted, ways = self.draw.choice(MANY), list(self.ways)
        self.draw.shuffle(ways)
        for way in ways:
            if done == wanted:
                break
            done += way(clause, self.draw)
        if not clause.is_whole():
            clause = Clause.of(
                gold.sentence, gold.deps
            )  # a phrase left without its head: as it was
        self._exchange(clause, self.draw.choice(SHARES))
        return clause

    def _exchange(self, clause: Clause, share: float) -> None:
        for word in clause.words:
            like = self.likes.get((word.form.lower(), word.xpos))
            if like and self.draw.random() < share:
                form = self.draw.choice(like)
                is_capital = word.form[:1].isupper()
                word.form = form[:1].upper() + form[1:] if is_capital else form


def participles_of(golds: Iterable[Gold]) -> Participles:
    """Return the commonest past participle of each verb, by lemma."""
    seen: dict[str, Counter[str]] = {}
    for gold in golds:
        for token in gold.sentence.tokens:
            if token.xpos == "VBN" and token.lemma not in AUXILIARIES:
                seen.setdefault(token.lemma, Counter())[token.form.lower()] += 1
    return {lemma: forms.most_common(1)[0][0] for lemma, forms in seen.items()}


def likes_of(
    golds: Iterable[Gold], vectors: Mapping[str, Floats], *, n: int = 6, least: int = 3
) -> Likes:
    """For each open-class word that occurs ``least`` times the ``n`` nearest of the
    same tag by cosine; words without a vector have none. O(v^2) a tag of v words."""
    tokens = (token for gold in golds for token in gold.sentence.tokens)
    counts = Counter((token.form.lower(), token.xpos) for token in tokens)
    likes: dict[tuple[str, str], Sequence[str]] = {}
    for tag in OPEN:
        words = sorted(
            form
            for (form, xpos), count in counts.items()
            if xpos == tag and count >= least and form in vectors
            if form.isalpha() and form not in AUXILIARIES | FORMS
        )
        if len(words) > n:
            table = np.stack([vectors[word] for word in words])
            near = _nearest(words, table, n)
            likes |= {(word, tag): next(near) for word in words}
    return likes


def _nearest(words: Sequence[str], table: Floats, n: int) -> Iterator[list[str]]:
    table = table / np.linalg.norm(table, axis=1, keepdims=True)
    for i, row in enumerate(table):
        close = table @ row
        close[i] = -1
        best = np.argpartition(-close, n)[:n]
        yield [words[k] for k in sorted(best, key=lambda k: -close[k])]


def example_of(clause: Clause, treebank: str) -> TrainingSentence:
    """Return a clause as a training example of ``treebank``."""
    sentence, deps = clause.tree()
    return TrainingSentence(
        treebank,
        sentence.forms,
        tuple(token.upos for token in sentence.tokens),
        tuple(token.xpos for token in sentence.tokens),
        tuple(head + 1 for head in deps.heads),
        deps.labels,
    )


def _joined(a: TrainingSentence, b: TrainingSentence) -> TrainingSentence:
    """Return two sentences as one example; each has its own root."""
    assert a.heads is not None
    assert b.heads is not None
    n = len(a.words)
    return TrainingSentence(
        a.treebank,
        a.words + b.words,
        (a.upos or ()) + (b.upos or ()),
        (a.xpos or ()) + (b.xpos or ()),
        a.heads + tuple(h + n if h else 0 for h in b.heads),
        (a.labels or ()) + (b.labels or ()),
    )
