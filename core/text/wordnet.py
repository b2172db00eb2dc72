"""The thesaurus: which words share a sense, by WordNet (Fellbaum 1998).

Reads WordNet's own data files (its manual, wndb(5WN)):

    index.POS = lemma pos n_synsets n_pointers { pointer } n_senses n_tagged { offset }
    data.POS  = offset file type n_words(hex) { word id } n_pointers { pointer } | gloss
    pointer   = symbol offset pos source target    two hex digits each, 00: the synset
    POS.exc   = inflected base { base }
"""

import os
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from core.errors import Unavailable

__all__ = ["Related", "Thesaurus", "thesaurus", "wordnet_folder"]

SYSTEM_FOLDERS = (Path("/usr/share/wordnet"), Path("/usr/share/wordnet-3.0/dict"))
REMEDY = (
    "install Debian's package wordnet-base, or nltk's data package wordnet, "
    "or set WNHOME to a folder that holds dict/data.noun"
)
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
ENDINGS = {
    pos: tuple(tuple(rule.split(":")) for rule in rules.split())
    for pos, rules in (
        ("n", "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y"),
        ("v", "s: ies:y es:e es: ed:e ed: ing:e ing:"),
        ("a", "er: est: er:e est:e"),
        ("r", ""),
    )
}
RELATIONS = dict.fromkeys((b"+", b"\\"), "derivations")
RELATIONS |= {b"&": "synonyms"} | dict.fromkeys((b"@", b"~", b"@i", b"~i"), "kin")


def wordnet_folder() -> Path:
    """Where WordNet's data files lie: $WNHOME, nltk's data path, the system's place.

    May be a zip file of nltk's. Raises Unavailable, naming the ways to get it.
    """
    import nltk  # when it is used: it is large

    home = os.environ.get("WNHOME", "")
    candidates = [Path(home) / "dict", Path(home)] if home else []
    for folder in nltk.data.path:
        for name in ("wordnet", "wordnet31", "wordnet.zip"):
            candidates.append(Path(folder) / "corpora" / name)
    for place in (*candidates, *SYSTEM_FOLDERS):
        if place.suffix == ".zip" and place.is_file():
            return place
        if (place / "data.noun").is_file() and (place / "index.noun").is_file():
            return place
    raise Unavailable(f"WordNet is not installed: {REMEDY}")


@cache
def thesaurus() -> "Thesaurus":
    """The one of this process; loading takes half a second. Raises Unavailable."""
    return Thesaurus(wordnet_folder())


class Related(NamedTuple):
    """Words related to a word, in lower case."""

    lemmas: frozenset[str]
    """The word and its base forms: itself alone if WordNet lacks it."""
    synonyms: frozenset[str]
    """All words of all its synsets, and of those similar to an adjective."""
    derivations: frozenset[str]
    """Words derived from it, or it from them: decide, decision."""
    kin: frozenset[str]
    """Words of the synsets one step more general or more special."""


class Thesaurus:
    """Words related to a word: lower-case lemmas, any part of speech, any sense.

    Raises Unavailable if ``place`` (a folder or a zip file) is no WordNet.
    """

    def __init__(self, place: Path) -> None:
        self._data: dict[str, bytes] = {}
        self._index: dict[tuple[str, str], tuple[int, ...]] = {}
        self._irregular: dict[tuple[str, str], tuple[str, ...]] = {}
        self._members: dict[tuple[str, int], tuple[str, ...]] = {}
        try:
            for pos, name in FILES.items():
                self._data[pos] = _read(place, f"data.{name}")
                self._load_index(pos, _read(place, f"index.{name}"))
                for line in _read(place, f"{name}.exc").decode().splitlines():
                    form, *bases = line.split()
                    self._irregular[pos, form] = tuple(bases)
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise Unavailable(f"{place}: no readable WordNet: {error}") from error

    def _load_index(self, pos: str, text: bytes) -> None:
        for line in text.decode().splitlines():
            if not line.startswith(" "):
                cells = line.split()
                offsets = tuple(int(cell) for cell in cells[6 + int(cells[3]) :])
                self._index[pos, cells[0]] = offsets

    def related(self, word: str) -> Related:
        """What is related to it, in one walk over its senses: O(their pointers)."""
        word = word.lower()
        names: dict[str, set[str]] = {field: set() for field in Related._fields}
        names["lemmas"].add(word)
        for pos, base in self._bases(word):
            names["lemmas"].add(base)
            for offset in self._index[pos, base]:
                members = self._words(pos, offset)
                names["synonyms"].update(members)
                own = _place(base, members)
                for relation, at, ends in self._pointers(pos, offset):
                    source, target = int(ends[:2], 16), int(ends[2:], 16)
                    if source in (0, own):
                        pointed = self._words(*at)
                        names[relation].update(
                            pointed[target - 1 : target] if target else pointed
                        )
        return Related(*(frozenset(map(str.lower, some)) for some in names.values()))

    def _bases(self, word: str) -> Iterator[tuple[str, str]]:
        """Every (pos, base form) of the word that WordNet knows: morphy."""
        for pos, endings in ENDINGS.items():
            bases = {word, *self._irregular.get((pos, word), ())}
            for old, new in endings:
                if word.endswith(old) and len(word) > len(old) + 1:
                    bases.add(word[: -len(old)] + new)
            yield from ((pos, b) for b in bases if (pos, b) in self._index)

    def _line(self, pos: str, offset: int) -> bytes:
        data = self._data["a" if pos == "s" else pos]
        return data[offset : data.index(b"\n", offset)]

    def _words(self, pos: str, offset: int) -> tuple[str, ...]:
        """The words of a synset; its head is of fixed width, up to their number."""
        if (pos, offset) not in self._members:
            line = self._line(pos, offset)
            n_words = int(line[14:16], 16)
            names = line[17:].split(b" ", 2 * n_words)[: 2 * n_words : 2]
            members = (name.decode().partition("(")[0] for name in names)
            self._members[pos, offset] = tuple(members)
        return self._members[pos, offset]

    def _pointers(
        self, pos: str, offset: int
    ) -> Iterator[tuple[str, tuple[str, int], bytes]]:
        """(relation, (pos, offset) pointed to, source and target), all that count."""
        cells = self._line(pos, offset).partition(b" | ")[0].split(b" ")
        start = 4 + 2 * int(cells[3], 16)
        for i in range(start + 1, start + 1 + 4 * int(cells[start]), 4):
            relation = RELATIONS.get(cells[i])
            if relation is not None:
                at = cells[i + 2].decode(), int(cells[i + 1])
                yield relation, at, cells[i + 3]


def _place(base: str, members: tuple[str, ...]) -> int:
    """Which word of its synset it is, from 1; 0 if it stands there otherwise."""
    return next((n for n, name in enumerate(members, 1) if name.lower() == base), 0)


def _read(place: Path, name: str) -> bytes:
    if place.suffix != ".zip":
        return (place / name).read_bytes()
    with zipfile.ZipFile(place) as archive:
        return archive.read(f"{place.stem}/{name}")
