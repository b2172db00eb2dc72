"""The lexical model of a biparse: the distance between two words."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import InvalidValue
from core.text.stems import STOP_WORDS, stem
from core.text.wordnet import Thesaurus


class WordRelation(IntEnum):
    """How two words are related, closest first; compared in lower case."""

    EXACT = 0
    STEM = 1
    SYNONYM = 2
    DERIVED = 3
    KIN = 4
    NONE = 5


@dataclass(frozen=True, slots=True)
class LexiconSettings:
    """The distance of each relation; 0 is a match, ``substitution`` any two words.

    ``stop_list``: function words may be linked to nothing but themselves, and match
    at this distance (Wu 2005, section 5, leaves 172 of them out); None: no list.
    ``cosine_low``, ``cosine_high``: contextual vectors this far apart count as
    ``substitution`` and as a match; a straight line between. Raises InvalidValue.
    """

    stem: float = 1.0
    synonym: float = 1.0
    derived: float = 1.0
    kin: float = 1.0
    substitution: float = 1.0
    stop_list: float | None = None
    cosine_low: float = 0.4
    cosine_high: float = 1.0

    def __post_init__(self) -> None:
        relations = (self.stem, self.synonym, self.derived, self.kin)
        if min(*relations, self.substitution) < 0:
            raise InvalidValue("a distance must not be negative")
        if not self.cosine_low < self.cosine_high:
            raise InvalidValue("cosine_low must be below cosine_high")

    @property
    def by_relation(self) -> Floats:
        distances = (0.0, self.stem, self.synonym, self.derived, self.kin)
        table = np.array([*distances, np.inf])
        return np.asarray(np.minimum(table, self.substitution))


def distances(
    related: NDArray[np.int8],
    source: Sequence[str],
    target: Sequence[str],
    rules: LexiconSettings,
    *,
    cosine: Floats | None = None,
) -> Floats:
    """``(T, V)``, 0 to ``substitution``, from the ``relations`` of the words;
    ``cosine``: of the words in context."""
    distance = rules.by_relation[related]
    if cosine is not None:
        width = rules.cosine_high - rules.cosine_low
        share = np.clip((rules.cosine_high - cosine) / width, 0.0, 1.0)
        distance = np.minimum(distance, rules.substitution * share)
    if rules.stop_list is not None:
        _stop(distance, related, source, target, rules)
    return np.asarray(distance, dtype=np.float64)


def _stop(
    distance: Floats,
    related: NDArray[np.int8],
    source: Sequence[str],
    target: Sequence[str],
    rules: LexiconSettings,
) -> None:
    rows = np.array([word.lower() in STOP_WORDS for word in source])
    columns = np.array([word.lower() in STOP_WORDS for word in target])
    either = rows[:, None] | columns[None, :]
    distance[either] = rules.substitution
    distance[either & (related == WordRelation.EXACT)] = rules.stop_list


def relations(
    source: Sequence[str], target: Sequence[str], thesaurus: Thesaurus | None
) -> NDArray[np.int8]:
    """The closest WordRelation of every two words, int8 ``(T, V)``.

    Function words are related to nothing but themselves. O(T V) at worst, mostly a
    set intersection a word.
    """
    table = [[int(WordRelation.NONE)] * len(target) for _ in source]
    places: dict[Key, list[int]] = {}
    for j, word in enumerate(target):
        for key in _looked_up(word, thesaurus)[0]:
            places.setdefault(key, []).append(j)
    for row, word in zip(table, source, strict=True):
        reach = _looked_up(word, thesaurus)[1]
        for key in reach.keys() & places.keys():
            closeness = reach[key]
            for j in places[key]:
                if closeness < row[j]:
                    row[j] = closeness
    return np.array(table, dtype=np.int8)


Key = str | int
_MEMORY: dict[tuple[str, Thesaurus | None], tuple[tuple[Key, ...], dict[Key, int]]] = {}
_MEMORY_WORDS = 200_000


def _looked_up(
    word: str, thesaurus: Thesaurus | None
) -> tuple[tuple[Key, ...], dict[Key, int]]:
    """The keys under which a word is stored, and those it looks up; ``=`` marks the
    form itself, ``~`` its stem, other keys are lemmas and numbers of synsets."""
    known = (word, thesaurus)
    if known not in _MEMORY:
        if len(_MEMORY) >= _MEMORY_WORDS:
            _MEMORY.clear()
        _MEMORY[known] = _look_up(word.lower(), thesaurus)
    return _MEMORY[known]


def _look_up(
    word: str, thesaurus: Thesaurus | None
) -> tuple[tuple[Key, ...], dict[Key, int]]:
    reach: dict[Key, int] = {f"={word}": int(WordRelation.EXACT)}
    if word in STOP_WORDS or not any(c.isalnum() for c in word):
        return (f"={word}",), reach
    reach[f"~{stem(word)}"] = int(WordRelation.STEM)
    if thesaurus is None:
        return (f"={word}", f"~{stem(word)}"), reach
    senses = thesaurus.senses(word)
    own = senses.lemmas - STOP_WORDS
    by_closeness: tuple[tuple[frozenset[Key], WordRelation], ...] = (
        (senses.kin, WordRelation.KIN),
        (senses.derivations, WordRelation.DERIVED),
        (senses.synonyms, WordRelation.SYNONYM),
        (own, WordRelation.STEM),
    )
    for keys, relation in by_closeness:  # the closest last
        reach.update(dict.fromkeys(keys, int(relation)))
    synsets = {synset for lemma in own for synset in thesaurus.synsets(lemma)}
    return (f"={word}", f"~{stem(word)}", *own, *synsets), reach


def cosines(source: Floats, target: Floats) -> Floats:
    """The cosine of every two word vectors, ``(T, V)``; 0 for a zero vector."""
    sides = []
    for vectors in (source, target):
        wide = np.asarray(vectors, dtype=np.float64)
        length = np.linalg.norm(wide, axis=1, keepdims=True)
        sides.append(wide / np.where(length > 0, length, 1.0))
    return np.asarray(sides[0] @ sides[1].T)
