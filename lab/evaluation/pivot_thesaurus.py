"""A paraphrase table as a thesaurus: words that share translations are related.

Wu 2005 leaves a thesaurus to later work (section 4); Callison-Burch 2008 makes one from
parallel text. Where a word looks for related words, its paraphrases of one word are
added to WordNet's, under the relation ``as_relation``.
"""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import duckdb

from core.errors import Unavailable
from core.pivoting.table import files
from core.text.stems import STOP_WORDS
from core.text.wordnet import Senses, Thesaurus

As = Literal["synonyms", "kin"]
Words = dict[str, dict[str, float]]


def word_pairs(table: Path) -> Words:
    """Return the probability of each one-word paraphrase of each word.

    Function words and tokens without letters are left out. Raises Unavailable if there
    is no table.
    """
    parquet = [str(x) for x in files(table) if x.name.startswith("paraphrases-")]
    if not parquet:
        raise Unavailable(f"{table}: not a paraphrase table")
    rows = duckdb.execute(
        "SELECT phrase, paraphrase, max(p) FROM read_parquet(?)"
        " WHERE NOT contains(phrase, ' ') AND NOT contains(paraphrase, ' ')"
        " GROUP BY ALL",
        [parquet],
    ).fetchall()
    words: Words = defaultdict(dict)
    for word, other, p in rows:
        if word.isalpha() and other.isalpha() and not {word, other} & STOP_WORDS:
            words[word][other] = p
    return dict(words)


@dataclass(frozen=True, eq=False)
class PivotThesaurus:
    """WordNet, or nothing, with the paraphrases of probability ``least`` in either
    direction added."""

    words: Words
    least: float
    as_relation: As
    wordnet: Thesaurus | None

    def senses(self, word: str) -> Senses:
        none = Senses(frozenset({word}), frozenset(), frozenset(), frozenset())
        own = self.wordnet.senses(word) if self.wordnet else none
        found: Any = {x for x, p in self.words.get(word, {}).items() if p >= self.least}
        if self.as_relation == "kin":
            return own._replace(kin=own.kin | found)
        return own._replace(synonyms=own.synonyms | found)

    def synsets(self, lemma: str) -> list[int]:
        return self.wordnet.synsets(lemma) if self.wordnet else []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.wordnet, name)


def both_ways(words: Words) -> Words:
    """Return the table with the larger probability of the two directions in both."""
    result: Words = defaultdict(dict)
    for word, others in words.items():
        for other, p in others.items():
            for a, b in ((word, other), (other, word)):
                result[a][b] = max(p, result[a].get(b, 0.0))
    return dict(result)
