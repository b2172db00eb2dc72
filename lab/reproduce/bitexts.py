"""The parallel text of the data folder, each language of each collection a bitext.

europarl-11      tokenised, a file a language, an empty line = no counterpart
europarl-it-en   tokenised, one language; europarl-fr-en with entities, comtrans
multi30k         captions, not tokenised; likewise bible (a verse a line)
tatoeba, -more   English TAB foreign, not tokenised
"""

import gzip
import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import InvalidValue
from core.text.tokenize import spans_of

EUROPARL_11 = ("da", "de", "el", "es", "fi", "fr", "it", "nl", "pt", "sv")
_TATOEBA = {"deu": "de", "fra": "fr"}
_TATOEBA_MORE = {
    "dan": "da",
    "ell": "el",
    "fin": "fi",
    "ita": "it",
    "nld": "nl",
    "por": "pt",
    "spa": "es",
    "swe": "sv",
}
Lines = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class BitextText:
    """One foreign language next to English: ``files`` are pairs of them, read one after
    the other, or a file of English TAB foreign. ``read`` makes tokens of a line."""

    collection: str
    language: str
    files: tuple[tuple[Path, ...], ...]
    read: Lines

    @property
    def corpus(self) -> str:
        return f"{self.collection}.{self.language}"

    def pairs(
        self, *, limit: int = 0, every: int = 1
    ) -> Iterator[tuple[int, str, str]]:
        """Line, English and foreign tokens with a space between; those that lack a
        side are left out. ``limit``: of lines, 0 = all; ``every``: of these, one in so
        many. Raises InvalidValue if two files differ in length."""
        for at, (english, foreign) in enumerate(self._lines()):
            if limit and at >= limit:
                return
            if at % every:
                continue
            one, other = self.read(english), self.read(foreign)
            if one and other:
                yield at, one, other

    def _lines(self) -> Iterator[tuple[str, str]]:
        for paths in self.files:
            if len(paths) == 1:
                for line in _opened(paths[0]):
                    cells = line.split("\t")
                    yield cells[0], cells[1] if len(cells) > 1 else ""
                continue
            try:
                yield from zip(*map(_opened, paths), strict=True)
            except ValueError as error:
                names = " and ".join(path.name for path in paths)
                raise InvalidValue(f"{names}: not as many lines each") from error


def bitexts_in(data: Path, collections: Sequence[str]) -> list[BitextText]:
    """The bitexts of these collections. Raises InvalidValue for an unknown one, and
    for a file that is not there."""
    texts = []
    for name in collections:
        if name not in COLLECTIONS:
            raise InvalidValue(f"{name}: one of {', '.join(COLLECTIONS)} wanted")
        texts += COLLECTIONS[name](data / name)
    for text in texts:
        for path in (path for paths in text.files for path in paths):
            if not path.is_file():
                raise InvalidValue(f"{path}: no such file")
    return texts


def _opened(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        yield from lines


def _tokens(line: str) -> str:
    return " ".join(line.split())


def _unescaped(line: str) -> str:
    return " ".join(html.unescape(line).split())


def _raw(line: str) -> str:
    text = " ".join(line.split())
    return " ".join(text[span.start : span.end] for span in spans_of(text))


def _europarl_11(folder: Path) -> list[BitextText]:
    english = folder / "ep.en.gz"
    return [
        BitextText(folder.name, name, ((english, folder / f"ep.{name}.gz"),), _tokens)
        for name in EUROPARL_11
    ]


def _one(language: str, stem: str, ends: tuple[str, str], read: Lines) -> Callable:  # type: ignore[type-arg]
    def texts(folder: Path) -> list[BitextText]:
        paths = tuple(folder / f"{stem}{end}.gz" for end in ends)
        return [BitextText(folder.name, language, (paths,), read)]

    return texts


def _multi30k(folder: Path) -> list[BitextText]:
    def files(name: str) -> tuple[tuple[Path, ...], ...]:
        parts = ("train", "val", "test_2016_flickr")
        return tuple(
            (folder / f"{part}.en.gz", folder / f"{part}.{name}.gz") for part in parts
        )

    return [
        BitextText(folder.name, name, files(name), _raw) for name in ("cs", "de", "fr")
    ]


def _tatoeba(names: dict[str, str]) -> Callable[[Path], list[BitextText]]:
    def texts(folder: Path) -> list[BitextText]:
        return [
            BitextText(folder.name, short, ((folder / f"eng-{name}.txt.gz",),), _raw)
            for name, short in names.items()
        ]

    return texts


def _bible(folder: Path) -> list[BitextText]:
    english = folder / "en.NHEB.gz"
    foreign = sorted(path for path in folder.glob("*.*.gz") if path.name[:3] != "en.")
    return [
        BitextText(folder.name, path.name[:2], ((english, path),), _raw)
        for path in foreign
        if path.name != "verses.ids.gz"
    ]


COLLECTIONS: dict[str, Callable[[Path], list[BitextText]]] = {
    "europarl-11": _europarl_11,
    "comtrans-de-en": _one("de", "comtrans.", ("e", "g"), _tokens),
    "europarl-fr-en": _one("fr", "europarl-v7.fr-en.", ("en", "fr"), _unescaped),
    "multi30k": _multi30k,
    "tatoeba": _tatoeba(_TATOEBA),
    "tatoeba-more": _tatoeba(_TATOEBA_MORE),
    "europarl-it-en": _one("it", "europarl.it-en.", ("en", "it"), _tokens),
    "bible": _bible,
}
