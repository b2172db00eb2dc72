"""Parallel text files, a sentence a line, to pairs with word links.

The files of one text have the same number of lines. A file's language is the part of
its name that is a code or a name of one: ``ep.de.gz``, ``news_german.txt``.
"""

import gzip
import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from core.errors import FormatError, InvalidValue
from core.formats.bitext import moses
from core.formats.bitext.records import BitextRecord, Cut, cut_signs
from core.formats.records import BadLine
from core.formats.standard_input import SAVE_AS_UTF8, not_utf8
from core.pivoting.bitext import Bitext, BitextPair, set_links, write_pairs
from core.text.tokenize import tokenize
from core.word_alignment.bilingual import BitextStep, TokenCorpus, align_bitext

MOST_TOKENS, MOST_TIMES = 80, 9  # of a side; as many as of the other
NAMES = {
    "english": "en", "german": "de", "deutsch": "de", "french": "fr", "spanish": "es",
    "italian": "it", "dutch": "nl", "portuguese": "pt", "danish": "da", "greek": "el",
    "finnish": "fi", "swedish": "sv", "czech": "cs", "polish": "pl", "russian": "ru",
    "chinese": "zh", "japanese": "ja", "arabic": "ar", "turkish": "tr", "eng": "en",
}  # fmt: skip
CODES = frozenset({
    "ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi",
    "fr", "ga", "he", "hi", "hr", "hu", "id", "is", "it", "ja", "ko", "la", "lt",
    "lv", "mt", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv",
    "th", "tr", "uk", "ur", "vi", "zh",
})  # fmt: skip
Say = Callable[[str], object]


def files_of(paths: Sequence[Path]) -> dict[str, Path]:
    """By language the file. ``paths``: files, or one folder, of which the files without
    a language in their names are left out. Raises InvalidValue."""
    is_folder = len(paths) == 1 and paths[0].is_dir()
    files = sorted(paths[0].iterdir()) if is_folder else list(paths)
    named: dict[str, Path] = {}
    for file in files:
        language = language_of(file.name)
        if not file.is_file():
            if is_folder:
                continue
            raise InvalidValue(f"{file}: no such file or folder")
        if not language and is_folder:
            continue
        if not language or language in named:
            other = f": {named[language]} is {language}, too" if language else ""
            raise InvalidValue(
                f"{file}: name it by its language, as text.de.txt{other}"
            )
        named[language] = file
    if "en" not in named or len(named) < 2:
        found = ", ".join(named) or "none"
        raise InvalidValue(
            "expected an English text (en.txt) and one of another language (de.txt); "
            f"found: {found}"
        )
    return named


def language_of(name: str) -> str:
    """The code of the language in a file's name; "" for none."""
    parts = name.lower().replace("-", ".").replace("_", ".").split(".")
    known = [NAMES.get(part, part) for part in reversed(parts)]
    return next((part for part in known if part in CODES), "")


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a text, also of a .gz. Raises FormatError at one that is not UTF-8,
    with the line and what to do."""
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as raw:
        for number, line in enumerate(raw, 1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                remedy = f"{SAVE_AS_UTF8}: iconv -f ISO-8859-1 -t UTF-8"
                raise FormatError(
                    not_utf8(error), file=str(path), line=number, remedy=remedy
                ) from error


def pairs_of(
    paths: Sequence[Path], work: Path, say: Say, *, is_tokenised: bool, limit: int = 0
) -> list[Path]:
    """A pairs.parquet with word links for each other language, in ``work``; what is
    there of the same text is not made again. ``limit``: lines read at most, 0 for all.

    Raises InvalidValue, FormatError.
    """
    files = files_of(paths)
    english = files.pop("en")
    _check_counts([english, *files.values()], say)
    made = []
    for language, file in files.items():
        state = _state(english, file, str(is_tokenised), str(limit))
        path = work / f"{language}-{state}.parquet"
        if not path.exists():
            _write(
                path,
                english,
                file,
                language,
                is_tokenised=is_tokenised,
                limit=limit,
                say=say,
            )
        made.append(path)
    return made


def _state(*of: Path | str) -> str:
    """A name for these texts as they are on disk now."""
    facts = [
        one
        if isinstance(one, str)
        else f"{one.resolve()} {one.stat().st_size} {one.stat().st_mtime_ns}"
        for one in of
    ]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]


def _check_counts(files: Sequence[Path], say: Say) -> None:
    counts = {file: sum(1 for _line in lines_of(file)) for file in files}
    say(f"{counts[files[0]]:,} lines in {len(files)} files")
    if len(set(counts.values())) > 1:
        told = "; ".join(f"{file.name}: {n:,} lines" for file, n in counts.items())
        raise InvalidValue(
            f"the files have different numbers of lines: {told}. Give line n of each "
            "file the same sentence; an empty line stands for no counterpart"
        )


def _write(
    path: Path,
    english: Path,
    file: Path,
    language: str,
    *,
    is_tokenised: bool,
    limit: int,
    say: Say,
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unlinked = path.with_suffix(".unlinked.parquet")
    counts = {"kept": 0, "left": 0}
    cuts = (None, None) if is_tokenised else (_english, cut_signs)
    n = write_pairs(unlinked, _clean(english, file, language, cuts, limit, counts))
    say(
        f"{language}: {n:,} pairs; {counts['left']:,} left out as empty, long or uneven"
    )
    if not n:
        raise InvalidValue(f"{file}: no pairs are left")

    def told(step: BitextStep) -> None:
        if step.done == step.total or step.done % 200_000 == 0:
            say(f"{language}: words linked, {step.done:,} of {step.total:,}")

    sides = (
        TokenCorpus.of(getattr(pair, side) for pair in Bitext(unlinked).pairs())
        for side in ("source", "target")
    )
    links = align_bitext(*sides, on_iteration=told)
    set_links(unlinked, links.lines())
    unlinked.rename(path)


def _english(text: str) -> list[str]:
    return [token.form for token in tokenize(text).tokens] if text.strip() else []


def _clean(
    english: Path,
    file: Path,
    language: str,
    cuts: tuple[Cut | None, Cut | None],
    limit: int,
    counts: dict[str, int],
) -> Iterator[BitextPair]:
    """The pairs whose sides are neither empty nor long, nor one far longer."""
    lines = (islice(lines_of(one), limit or None) for one in (english, file))
    for one in moses.read(*lines, cut_source=cuts[0], cut_target=cuts[1]):
        if isinstance(one, BadLine) or not _is_fine(one):
            counts["left"] += 1
            continue
        counts["kept"] += 1
        sides = " ".join(one.source), " ".join(one.target)
        yield BitextPair(one.number, language, *sides, None)


def _is_fine(pair: BitextRecord) -> bool:
    shorter, longer = sorted((len(pair.source), len(pair.target)))
    return shorter > 0 and longer <= min(MOST_TOKENS, MOST_TIMES * shorter)
