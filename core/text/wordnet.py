"""The thesaurus WordNet (Fellbaum 1998): which words share a sense.

Reads WordNet's own data files (its manual, wndb(5WN)):

    index.POS = lemma pos n_synsets n_pointers { pointer } n_senses n_tagged { offset }
    data.POS  = offset file type n_words(hex) { word id } n_pointers { pointer } | gloss
    pointer   = symbol offset pos source target    two hex digits each, 00: the synset
    POS.exc   = inflected base { base }
"""

import os
import re
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from core.errors import Unavailable

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
FILE_SIZE = 10**8  # no file has an offset of more than eight digits
NUMBER = {pos.encode(): at * FILE_SIZE for at, pos in enumerate(FILES)}
NUMBER[b"s"] = NUMBER[b"a"]  # adjectives that are satellites of another
SIMILAR = re.compile(rb" & (\d{8}) ([nvasr]) ")
NEAR = re.compile(rb" [@~]i? (\d{8}) ([nvasr]) ")
DERIVED = re.compile(rb" [+\\] (\d{8}) ([nvasr]) ([0-9a-f]{2})([0-9a-f]{2})")


def wordnet_folder() -> Path:
    """The folder of WordNet's data files: $WNHOME, nltk's data path, the system's
    folder.

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
    """The thesaurus of this process, loaded in a tenth of a second. Raises
    Unavailable."""
    return Thesaurus(wordnet_folder())


def find_thesaurus() -> tuple["Thesaurus | None", str]:
    """Return the thesaurus and "", or None and how to get one; scoring continues
    without."""
    try:
        return thesaurus(), ""
    except Unavailable as error:
        return None, str(error)


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


class Senses(NamedTuple):
    """The same by synset numbers instead of words, which need not be read: a word is a
    synonym if one of its own synsets is among these."""

    lemmas: frozenset[str]
    synonyms: frozenset[int]
    derivations: frozenset[str]
    kin: frozenset[int]


class Thesaurus:
    """Words related to a word: lower-case lemmas, any part of speech, any sense.

    A synset's number is its offset in its file and, from the tenth digit on, the file's
    number. Raises Unavailable if ``place`` (a folder or a zip file) is not a WordNet.
    """

    def __init__(self, place: Path) -> None:
        self._data: list[bytes] = []
        self._lines: dict[str, dict[str, str]] = {}
        self._irregular: dict[tuple[str, str], tuple[str, ...]] = {}
        self._members: dict[int, tuple[str, ...]] = {}
        try:
            for pos, name in FILES.items():
                self._data.append(_read(place, f"data.{name}"))
                lines = _read(place, f"index.{name}").decode().splitlines()
                entries = (line for line in lines if not line.startswith(" "))
                self._lines[pos] = {line.partition(" ")[0]: line for line in entries}
                for line in _read(place, f"{name}.exc").decode().splitlines():
                    form, *bases = line.split()
                    self._irregular[pos, form] = tuple(bases)
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise Unavailable(f"{place}: no readable WordNet: {error}") from error

    def related(self, word: str) -> Related:
        """Return the words related to it."""
        senses = self.senses(word)
        synonyms, kin = (
            frozenset(name.lower() for synset in some for name in self._words(synset))
            for some in (senses.synonyms, senses.kin)
        )
        return Related(senses.lemmas, synonyms, senses.derivations, kin)

    def senses(self, word: str) -> Senses:
        """Related words, in one walk over the senses: O(their pointers)."""
        word = word.lower()
        lemmas, synonyms, kin = {word}, set[int](), set[int]()
        derivations: set[str] = set()
        for pos, base in self._bases(word):
            lemmas.add(base)
            for synset in self._synsets(pos, base):
                head = self._head(synset)
                synonyms.add(synset)
                synonyms.update(
                    NUMBER[at] + int(offset) for offset, at in SIMILAR.findall(head)
                )
                kin.update(
                    NUMBER[at] + int(offset) for offset, at in NEAR.findall(head)
                )
                derivations.update(self._derived(base, synset, head))
        return Senses(
            frozenset(lemmas),
            frozenset(synonyms),
            frozenset(derivations),
            frozenset(kin),
        )

    def _derived(self, base: str, synset: int, head: bytes) -> Iterator[str]:
        """What is derived from a word of a synset, or it from that."""
        pointers = DERIVED.findall(head)
        own = _place(base, self._words(synset)) if pointers else 0
        for offset, at, source, target in pointers:
            if int(source, 16) in (0, own):
                pointed = self._words(NUMBER[at] + int(offset))
                place = int(target, 16)
                names = pointed[place - 1 : place] if place else pointed
                yield from map(str.lower, names)

    def synsets(self, lemma: str) -> list[int]:
        """The numbers of all synsets that a lemma is in, as whatever part of speech."""
        return [
            synset
            for pos, lines in self._lines.items()
            if lemma in lines
            for synset in self._synsets(pos, lemma)
        ]

    def _synsets(self, pos: str, lemma: str) -> Iterator[int]:
        cells = self._lines[pos][lemma].split()
        first = NUMBER[pos.encode()]
        return (first + int(cell) for cell in cells[6 + int(cells[3]) :])

    def _bases(self, word: str) -> Iterator[tuple[str, str]]:
        """Every (pos, base form) of the word that WordNet knows: morphy."""
        for pos, endings in ENDINGS.items():
            bases = {word, *self._irregular.get((pos, word), ())}
            for old, new in endings:
                if word.endswith(old) and len(word) > len(old) + 1:
                    bases.add(word[: -len(old)] + new)
            yield from ((pos, b) for b in bases if b in self._lines[pos])

    def _head(self, synset: int) -> bytes:
        """The line of a synset without its gloss."""
        file, offset = divmod(synset, FILE_SIZE)
        data = self._data[file]
        return data[offset : data.index(b"\n", offset)].partition(b" | ")[0]

    def _words(self, synset: int) -> tuple[str, ...]:
        """The words of a synset; its head is of fixed width, up to their number."""
        if synset not in self._members:
            line = self._head(synset)
            n_words = int(line[14:16], 16)
            names = line[17:].split(b" ", 2 * n_words)[: 2 * n_words : 2]
            members = (name.decode().partition("(")[0] for name in names)
            self._members[synset] = tuple(members)
        return self._members[synset]


def _place(base: str, members: tuple[str, ...]) -> int:
    """Return the rank of the word in its synset, from 1; 0 if it is not listed."""
    return next((n for n, name in enumerate(members, 1) if name.lower() == base), 0)


def _read(place: Path, name: str) -> bytes:
    if place.suffix != ".zip":
        return (place / name).read_bytes()
    with zipfile.ZipFile(place) as archive:
        return archive.read(f"{place.stem}/{name}")
