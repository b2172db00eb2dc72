"""Linking corpora: how often words occur next to each other in plain text.

Plain text out of files, for counting: one list of tokens a sentence.

A file is tokenised (one sentence a line, punctuation apart), tagged as Brown is
(``word/tag``), or running text, told apart by its first lines. Names decide how it is
opened: ``.gz``, ``.zip`` (each member a text), anything else as it is.

The shape of a form: letter case and number shape, transferred to another.
"""

import gzip
import hashlib
import io
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import numpy as np

from core.errors import FormatError, InvalidValue
from core.formats import ptb
from core.protocols import Step
from core.substitution.kernels.products import Whole
from core.text.treebank import sentences

_NUMBER = re.compile(r"[+-]?\d+(?:[.,:/-]\d+)*")
_DIGIT = re.compile(r"\d")


def number_shape(form: str) -> str:
    """Every digit of a number as 0 (1,234.5 is 0,000.0); "" if it is not a number."""
    return _DIGIT.sub("0", form) if _NUMBER.fullmatch(form) else ""


def in_case_of(form: str, model: str) -> str:
    """``form`` in the letter case of ``model``: lower, Capital or UPPER.

    A single capital is not upper case ("I"); mixed case ("mRNA") counts as lower case
    and leaves ``form`` unchanged.
    """
    if model.isupper() and sum(map(str.isalpha, model)) > 1:
        return form.upper()
    if model[:1].isupper():
        return form[:1].upper() + form[1:]
    return form.lower() if model.islower() else form


_HEAD = 200  # lines looked at to tell how a text is written
_SKIPPED = ("readme", "license", "licence", "cats.", "contents")


def text_files(paths: Iterable[Path]) -> Iterator[tuple[str, Iterable[str]]]:
    """The name and the lines of every text in files, folders and archives.

    Raises FormatError if there is no such file, or an archive cannot be opened.
    """
    for path in paths:
        if not path.exists():
            raise FormatError(f"{path}: there is no such file or folder")
        inside = sorted(p for p in path.rglob("*") if p.is_file())
        for file in inside if path.is_dir() else [path]:
            if not file.name.lower().startswith(_SKIPPED):
                yield from _opened(file)


def sentences_in(lines: Iterable[str]) -> Iterator[Sequence[str]]:
    """The tokens of each sentence."""
    stream = iter(lines)
    head = list(islice(stream, _HEAD))
    every = chain(head, stream)
    if _is_bracketed(head):
        yield from (tuple(map(ptb.unescape, tree.words)) for tree in ptb.parse(every))
    elif _is_tagged(head):
        yield from (
            [item.rpartition("/")[0] for item in line.split()]
            for line in every
            if line.strip()
        )
    elif _is_tokenised(head):
        yield from (line.split() for line in every if line.strip())
    else:
        yield from sentences(every)


def _is_bracketed(head: Sequence[str]) -> bool:
    first = next((line.lstrip() for line in head if line.strip()), "")
    return bool(re.match(r"\(\s*(\w*\s*\(|\()", first)) and ")" in "".join(head)


def _is_tagged(head: Sequence[str]) -> bool:
    items = [item for line in head for item in line.split()]
    tagged = sum(bool(re.fullmatch(r".+/[^/\s]+", item)) for item in items)
    return bool(items) and tagged > 0.95 * len(items)


def _is_tokenised(head: Sequence[str]) -> bool:
    """Whether commas and full stops are separate tokens."""
    text = " ".join(head)
    apart = len(re.findall(r"\s[.,](?=\s|$)", text))
    joined = len(re.findall(r"\w[.,](?=\s|$)", text))
    return apart > joined


def _opened(path: Path) -> Iterator[tuple[str, Iterable[str]]]:
    try:
        if path.suffix == ".zip":
            with ZipFile(path) as archive:
                yield from _members(path, archive)
        elif path.suffix == ".gz":
            with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
                yield path.name, lines
        else:
            with path.open(encoding="utf-8", errors="replace") as lines:
                yield path.name, lines
    except (OSError, BadZipFile) as error:
        raise FormatError(f"{path}: cannot be read: {error}") from error


def _members(path: Path, archive: ZipFile) -> Iterator[tuple[str, Iterable[str]]]:
    for member in sorted(archive.namelist()):
        name = member.rpartition("/")[2]
        if name and not name.lower().startswith(_SKIPPED):
            with archive.open(member) as raw:
                text = io.TextIOWrapper(raw, encoding="utf-8", errors="replace")
                yield f"{path.name}/{member}", text


BOUNDARY = "\n"  # where a sentence begins and ends; no word looks like it
_VERSION = "1"


@dataclass(frozen=True, eq=False)
class LinkingCounts:
    """Counts of one linking corpus.

    ``words``: its forms, the commonest first, ``BOUNDARY`` among them; ``unigrams``
    int64 ``(V,)``. Bigrams as parallel arrays ``(B,)`` sorted by ``first``, then
    ``second``: word numbers, and ``times`` that the one stood right before the other.
    ``digest`` is of the texts, ``licence`` and ``sources`` say whose they are.
    """

    words: tuple[str, ...]
    unigrams: Whole
    first: Whole
    second: Whole
    times: Whole
    digest: str = ""
    licence: str = ""
    sources: tuple[str, ...] = ()
    number_of: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        if len(self.words) != len(self.unigrams):
            raise InvalidValue("linking corpus: expected one count per word")
        if not len(self.first) == len(self.second) == len(self.times):
            raise InvalidValue("linking corpus: bigram arrays differ in length")
        numbers = {word: number for number, word in enumerate(self.words)}
        object.__setattr__(self, "number_of", numbers)

    @property
    def n_tokens(self) -> int:
        """Words in all, boundaries left out."""
        boundary = self.number_of.get(BOUNDARY)
        ends = 0 if boundary is None else int(self.unigrams[boundary])
        return int(self.unigrams.sum()) - ends

    def count(self, form: str) -> int:
        number = self.number_of.get(form)
        return 0 if number is None else int(self.unigrams[number])

    def form_of(self, form: str, *, initial: bool) -> str:
        """The form under which ``form`` is counted.

        Numbers go by their shape. At the start of a sentence a capital says little:
        there the lower-case form is taken if it is the commoner one.
        """
        shape = number_shape(form)
        if shape:
            return shape
        lower = form[:1].lower() + form[1:]
        if initial and lower != form and self.count(lower) > self.count(form):
            return lower
        return form

    @cached_property
    def by_second(self) -> tuple[Whole, Whole, Whole]:
        """``second, first, times`` of the bigrams, sorted by ``second``."""
        order = np.argsort(self.second, kind="stable")
        return self.second[order], self.first[order], self.times[order]


class Recorder:
    """Takes sentences, gives LinkingCounts. About 20 bytes a token."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {BOUNDARY: 0}
        self._stream = array("i", [0])
        self._hash = hashlib.sha256(_VERSION.encode())

    @property
    def n_tokens(self) -> int:
        return len(self._stream)

    def add(self, forms: Sequence[str]) -> None:
        """One sentence more."""
        number = self._number
        shown = [number_shape(form) or form for form in forms]
        self._hash.update("\n".join(shown).encode("utf-8", "surrogatepass") + b"\0")
        self._stream.extend([number.setdefault(form, len(number)) for form in shown])
        self._stream.append(0)

    def freeze(
        self, *, licence: str = "", sources: Sequence[str] = ()
    ) -> LinkingCounts:
        """The counts. O(n log n) in the tokens."""
        stream = self._without_first_capitals()
        names = list(self._number)
        totals = np.bincount(stream, minlength=len(names))
        order = sorted(np.flatnonzero(totals), key=lambda v: (-totals[v], names[v]))
        rank = np.zeros(len(names), np.int64)
        rank[order] = np.arange(len(order))
        ranked, n = rank[stream], max(len(order), 1)
        # A sentence ends with a boundary and the next begins with the same one.
        codes, times = np.unique(ranked[:-1] * n + ranked[1:], return_counts=True)
        return LinkingCounts(
            tuple(names[v] for v in order),
            totals[order].astype(np.int64),
            (codes // n).astype(np.int32),
            (codes % n).astype(np.int32),
            times.astype(np.int32),
            self._hash.hexdigest(),
            licence,
            tuple(sources),
        )

    def _without_first_capitals(self) -> Whole:
        """The stream; a sentence's first word in lower case where that is commoner."""
        stream = np.frombuffer(self._stream, np.int32).copy()
        first = np.zeros(len(stream), np.bool_)
        first[1:] = stream[:-1] == 0
        inside = np.bincount(stream[~first], minlength=len(self._number))
        to = np.arange(len(self._number), dtype=np.int32)
        for form, number in self._number.items():
            lower = self._number.get(form[:1].lower() + form[1:], number)
            if inside[lower] > inside[number]:
                to[number] = lower
        stream[first] = to[stream[first]]
        return stream


def counted(
    paths: Iterable[Path], *, licence: str = ""
) -> Iterator[Step | LinkingCounts]:
    """A Step for each text of files, folders and zip archives; last, the counts.

    Raises FormatError if one of them cannot be read.
    """
    given = list(paths)
    recorder = Recorder()
    for name, lines in text_files(given):
        before = recorder.n_tokens
        try:
            for forms in sentences_in(lines):
                recorder.add(forms)
        except (OSError, EOFError, BadZipFile) as error:
            raise FormatError(f"{name}: cannot be read: {error}") from error
        yield Step(done=1, note=f"{name}: {recorder.n_tokens - before:,} tokens")
    yield recorder.freeze(licence=licence, sources=[path.name for path in given])


def save(counts: LinkingCounts, path: Path) -> None:
    """Write the counts whole or not at all."""
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez_compressed(
            file,
            words=np.array("\0".join(counts.words)),
            unigrams=counts.unigrams,
            first=counts.first,
            second=counts.second,
            times=counts.times,
            about=np.array([counts.digest, counts.licence, *counts.sources]),
        )
    part.replace(path)


def load(path: Path) -> LinkingCounts:
    """The counts that ``save`` wrote; raises FormatError if it is not such a file."""
    try:
        with np.load(path, allow_pickle=False) as file:
            digest, licence, *sources = (str(text) for text in file["about"])
            return LinkingCounts(
                tuple(str(file["words"]).split("\0")),
                file["unigrams"],
                file["first"],
                file["second"],
                file["times"],
                digest,
                licence,
                tuple(sources),
            )
    except (OSError, KeyError, ValueError, BadZipFile, InvalidValue) as error:
        raise FormatError(f"{path}: not counts of a linking corpus: {error}") from error
