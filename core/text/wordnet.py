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

import nltk

from core.errors import Unavailable

__all__ = ["Thesaurus", "thesaurus", "wordnet_folder"]

SYSTEM_FOLDERS = (Path("/usr/share/wordnet"), Path("/usr/share/wordnet-3.0/dict"))
REMEDY = (
    "install Debian's package wordnet-base, or nltk's data package wordnet, "
    "or set WNHOME to a folder that holds dict/data.noun"
)
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
ENDINGS = {
    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
DERIVED, SIMILAR = ("+", "\\"), ("&",)
NEAR = ("@", "~", "@i", "~i")


def wordnet_folder() -> Path:
    """Where WordNet's data files lie: $WNHOME, nltk's data path, the system's place.

    May be a zip file of nltk's. Raises Unavailable, naming the ways to get it.
    """
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


class _Synset(NamedTuple):
    words: tuple[str, ...]
    pointers: tuple[tuple[str, str, int, int, int], ...]


class Thesaurus:
    """Words related to a word: lower-case lemmas, any part of speech, any sense.

    Raises Unavailable if ``place`` (a folder or a zip file) is no WordNet.
    """

    def __init__(self, place: Path) -> None:
        self._data: dict[str, bytes] = {}
        self._index: dict[tuple[str, str], tuple[int, ...]] = {}
        self._irregular: dict[tuple[str, str], tuple[str, ...]] = {}
        self._known: dict[tuple[str, str], frozenset[str]] = {}
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

    def lemmas(self, word: str) -> frozenset[str]:
        """The word and its base forms: itself alone if WordNet lacks it."""
        return self._cached("lemmas", word)

    def synonyms(self, word: str) -> frozenset[str]:
        """All words of all its synsets, and of those similar to an adjective."""
        return self._cached("synonyms", word)

    def derivations(self, word: str) -> frozenset[str]:
        """Words derived from it, or it from them: decide, decision."""
        return self._cached("derivations", word)

    def kin(self, word: str) -> frozenset[str]:
        """Words of the synsets one step more general or more special."""
        return self._cached("kin", word)

    def _cached(self, kind: str, word: str) -> frozenset[str]:
        word = word.lower()
        if (kind, word) not in self._known:
            find = getattr(self, f"_{kind}")
            self._known[kind, word] = frozenset(name.lower() for name in find(word))
        return self._known[kind, word]

    def _bases(self, word: str) -> Iterator[tuple[str, str]]:
        """Every (pos, base form) of the word that WordNet knows: morphy."""
        for pos, endings in ENDINGS.items():
            bases = {word, *self._irregular.get((pos, word), ())}
            for rule in endings.split():
                old, _, new = rule.partition(":")
                if word.endswith(old) and len(word) > len(old) + 1:
                    bases.add(word[: -len(old)] + new)
            yield from ((pos, b) for b in sorted(bases) if (pos, b) in self._index)

    def _synsets(self, word: str) -> Iterator[tuple[str, _Synset]]:
        """(base form, synset) for every sense of the word."""
        for pos, base in self._bases(word):
            for offset in self._index[pos, base]:
                yield base, self._synset(pos, offset)

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

    def _synset(self, pos: str, offset: int) -> _Synset:
        line = self._line(pos, offset).decode()
        cells = line.partition(" | ")[0].split()
        n_words = int(cells[3], 16)
        rest = cells[5 + 2 * n_words :]
        pointers = [
            rest[i : i + 4] for i in range(0, 4 * int(cells[4 + 2 * n_words]), 4)
        ]
        return _Synset(
            self._words(pos, offset),
            tuple(
                (symbol, pos, int(at), int(ends[:2], 16), int(ends[2:], 16))
                for symbol, at, pos, ends in pointers
            ),
        )

    def _pointed(self, word: str, symbols: tuple[str, ...]) -> Iterator[str]:
        """Words that the senses of the word point to, or this word of theirs."""
        for base, synset in self._synsets(word):
            lower = [name.lower() for name in synset.words]
            own = lower.index(base) + 1 if base in lower else 0
            for symbol, pos, at, source, target in synset.pointers:
                if symbol in symbols and source in (0, own):
                    words = self._words(pos, at)
                    yield from words[target - 1 : target] if target else words

    def _lemmas(self, word: str) -> Iterator[str]:
        yield word
        yield from (base for _, base in self._bases(word))

    def _synonyms(self, word: str) -> Iterator[str]:
        for _, synset in self._synsets(word):
            yield from synset.words
        yield from self._pointed(word, SIMILAR)

    def _derivations(self, word: str) -> Iterator[str]:
        return self._pointed(word, DERIVED)

    def _kin(self, word: str) -> Iterator[str]:
        return self._pointed(word, NEAR)


def _read(place: Path, name: str) -> bytes:
    if place.suffix != ".zip":
        return (place / name).read_bytes()
    with zipfile.ZipFile(place) as archive:
        return archive.read(f"{place.stem}/{name}")
