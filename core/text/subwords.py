"""Words as a WordPiece encoder reads them: ids, letter case, first and last piece."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from core.errors import Unavailable

_ESCAPES = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
}
_QUOTES = str.maketrans("“”„‘’‚`´", "\"\"\"'''''")
SHAPES = ("special", "lower", "Title", "UPPER", "X", "miXed", "digits", "other")
MAX_PIECES = 10  # of one word; longer ones (URLs) keep their beginning and end


@dataclass(frozen=True, slots=True)
class Pieces:
    """One sentence: ``ids`` and ``shapes`` per piece, [CLS] and [SEP] included;
    ``first`` and ``last`` are the positions of each word's outer pieces."""

    ids: list[int]
    shapes: list[int]
    first: list[int]
    last: list[int]


def plain_form(form: str) -> str:
    """``form`` without treebank escapes and typographic quotes."""
    return _ESCAPES.get(form, form).translate(_QUOTES) or form


def shape(form: str) -> int:
    """Index into SHAPES: the letter case that an uncased vocabulary drops."""
    letters = [c for c in form if c.isalpha()]
    if any(c.isdigit() for c in form):
        return 6
    if not letters:
        return 7
    if all(not c.isupper() for c in letters):
        return 1
    if all(c.isupper() for c in letters):
        return 3 if len(letters) > 1 else 4
    return 2 if letters[0].isupper() and not any(map(str.isupper, letters[1:])) else 5


class Subwords:
    """A BERT tokenizer.json read once; raises Unavailable if it is none."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise Unavailable(f"{path}: the model's tokenizer is missing")
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        ids = {name: self._tokenizer.token_to_id(name) for name in _SPECIALS}
        lacking = [name for name in _SPECIALS if ids[name] is None]
        if lacking:
            raise Unavailable(
                f"{path}: missing {', '.join(lacking)}; a BERT tokenizer is needed"
            )
        self.cls, self.sep, self.unk, self.mask, self.pad = (
            ids[name] or 0 for name in _SPECIALS
        )

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Pieces]:
        """The pieces of each sentence, given as word forms."""
        plain = [[plain_form(form) for form in forms] for forms in sentences]
        encodings = self._tokenizer.encode_batch(
            plain, is_pretokenized=True, add_special_tokens=False
        )
        return [
            self._pieces(forms, encoding.ids, encoding.word_ids)
            for forms, encoding in zip(sentences, encodings, strict=True)
        ]

    def _pieces(
        self, forms: Sequence[str], ids: list[int], words: list[int | None]
    ) -> Pieces:
        of_word: list[list[int]] = [[] for _ in forms]
        for piece, word in zip(ids, words, strict=True):
            if word is not None:
                of_word[word].append(piece)
        out = Pieces([self.cls], [0], [], [])
        for form, pieces in zip(forms, of_word, strict=True):
            kept = pieces or [self.unk]
            if len(kept) > MAX_PIECES:
                kept = kept[: MAX_PIECES - 4] + kept[-4:]
            out.first.append(len(out.ids))
            out.ids.extend(kept)
            out.shapes.extend([shape(form)] * len(kept))
            out.last.append(len(out.ids) - 1)
        out.ids.append(self.sep)
        out.shapes.append(0)
        return out


_SPECIALS = ("[CLS]", "[SEP]", "[UNK]", "[MASK]", "[PAD]")
