"""The encoding of a text that is not UTF-8: a guess from its letters and words.

Windows-1252 and Windows-1250 give every byte a letter, so both always seem to fit:
``naïve`` in one is ``naďve`` in the other. What tells them apart is the language: a
reading is likely if its common words are those of a language, and its accented letters
are those that this language has. General detectors read short Western text as Central
European; so they are asked only about text that is in another script.
"""

import re
import string
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

from annotator.exchange.files import byte_rows

SAMPLE = 1 << 18  # bytes of lines with other than ASCII: enough to know a language
EXAMPLE = 160  # characters that are shown
LIKELIEST = "cp1252"
WEIGHT = 4.0  # a foreign letter costs as much as this many common words gain
OLD_MACS = 3.0  # a prior against it, in common words: few such files exist today
_FOREIGN_RUN = re.compile(rb"[\x80-\xff]{3,}")  # rare in Latin script, usual in others
_NO_ACCENTS = frozenset(string.ascii_lowercase + "ªºµ")  # "5º", "10 µm": any language
_WORD = re.compile(r"[^\W\d_]+")
# A sign that is part of no word, and an upper-case letter after a lower-case one.
_MISPLACED = re.compile(
    r"(?<=[^\W\d_])[^\w\s’‘'´`\-–—.·](?=[^\W\d_])|(?<=[a-z])[À-ÞŒŠŽŸĄĆČĎĘĚŁŃŇŐŘŚŤŮŰŹŻ]"
)


@dataclass(frozen=True, slots=True)
class LetterUse:
    """``letters``: the accented ones it uses, lower case; ``words``: its commonest."""

    letters: frozenset[str]
    words: frozenset[str]


_LIKELY = {  # the first wins where two are as good
    LIKELIEST: "western",
    "cp1250": "central",
    "iso8859_2": "central",
    "mac_roman": "western",
    "cp1254": "turkish",
    "cp1257": "baltic",
}
_OTHER_SCRIPTS = (  # what people's programs write; not all that Python knows
    *("cp1251", "koi8_r", "koi8_u", "cp1253", "iso8859_7", "cp1255", "cp1256", "cp874"),
    *("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"),
)


@cache
def _languages() -> dict[str, list[LetterUse]]:
    text = Path(__file__).with_name("languages.toml").read_text(encoding="utf-8")
    return {
        name: [
            LetterUse(frozenset(one["letters"]), frozenset(one["words"].split()))
            for one in several
        ]
        for name, several in tomllib.loads(text).items()
    }


@dataclass(frozen=True, slots=True)
class EncodingGuess:
    """``example``: the first line that shows whether it is right; "" of UTF-8."""

    encoding: str
    example: str = ""


def guess(file: BinaryIO) -> EncodingGuess:
    """The likeliest encoding of a text that is not UTF-8 throughout.

    UTF-8 where half of the lines are: then only the others cannot be read.
    """
    sample = _sample(byte_rows(file))
    if sum(_is_utf8(line) for line in sample) * 2 >= len(sample):
        return EncodingGuess("utf-8")
    text = b"".join(sample)
    is_other = _is_other_script(text)
    encoding = _of_other_script(text) if is_other else _of_latin(text)
    return EncodingGuess(
        encoding, sample[0].decode(encoding, "replace").strip()[:EXAMPLE]
    )


def _sample(lines: Iterable[bytes | None]) -> list[bytes]:
    """The first lines that hold more than ASCII."""
    sample: list[bytes] = []
    size = 0
    for line in lines:
        if line is None or line.isascii():
            continue
        sample.append(line[: SAMPLE - size])
        size += len(line)
        if size >= SAMPLE:
            break
    return sample


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_other_script(text: bytes) -> bool:
    n_high = sum(byte > 0x7F for byte in text)
    return sum(map(len, _FOREIGN_RUN.findall(text))) * 2 > n_high


def _of_other_script(text: bytes) -> str:
    from charset_normalizer import from_bytes  # some megabytes, and seldom needed

    best = from_bytes(text, cp_isolation=list(_OTHER_SCRIPTS)).best()
    return best.encoding if best is not None else LIKELIEST


def _of_latin(text: bytes) -> str:
    known = _languages()
    scores = {name: max(_scores(text, name, known[of])) for name, of in _LIKELY.items()}
    scores["mac_roman"] -= OLD_MACS
    return max(scores, key=lambda name: scores[name])


def _scores(text: bytes, encoding: str, languages: list[LetterUse]) -> Iterator[float]:
    """Score the text for each language: its common words, minus those missing."""
    try:
        decoded = text.decode(encoding)
    except UnicodeDecodeError:
        yield float("-inf")
        return
    words = _WORD.findall(decoded.lower())
    misplaced = len(_MISPLACED.findall(decoded))
    accented = [sign for word in words for sign in word if sign not in _NO_ACCENTS]
    for language in languages:
        n_common = sum(word in language.words for word in words)
        n_foreign = sum(sign not in language.letters for sign in accented)
        yield n_common - WEIGHT * (n_foreign + misplaced)
