"""Word forms as the encoder sees them."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from core.errors import Unavailable
from core.parsing.english import MODEL
from core.text.subwords import MAX_PIECES, SHAPES, Subwords, plain_form, shape


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("cat", "lower"),
        ("Cat", "Title"),
        ("CAT", "UPPER"),
        ("I", "X"),
        ("iPod", "miXed"),
        ("McCoy", "miXed"),
        ("1990s", "digits"),
        ("--", "other"),
        ("Straße", "Title"),
    ],
)
def test_letter_case_is_named(form: str, name: str) -> None:
    assert SHAPES[shape(form)] == name


def test_treebank_escapes_are_read_as_written() -> None:
    assert [plain_form(f) for f in ("-LRB-", "''", "“", "-RSB-", "dog")] == [
        "(",
        '"',
        '"',
        "]",
        "dog",
    ]


def test_every_word_has_pieces_even_if_it_has_none_of_its_own() -> None:
    subwords = Subwords(MODEL / "tokenizer.json")
    (pieces,) = subwords.encode([["\u200b", "cat", "x" * 300]])
    assert len(pieces.first) == len(pieces.last) == 3
    assert pieces.ids[pieces.first[0]] == subwords.unk
    assert pieces.last[2] - pieces.first[2] + 1 <= MAX_PIECES
    assert len(pieces.ids) == len(pieces.shapes) == pieces.last[2] + 2


def test_a_tokenizer_of_another_kind_is_refused(tmp_path: Path) -> None:
    Tokenizer(WordLevel({"<s>": 0, "cat": 1}, unk_token="<s>")).save(
        str(tmp_path / "tokenizer.json")
    )
    with pytest.raises(Unavailable, match=r"missing \[CLS\]"):
        Subwords(tmp_path / "tokenizer.json")


def test_a_missing_tokenizer_is_named() -> None:
    with pytest.raises(Unavailable, match=r"tokenizer\.json"):
        Subwords(MODEL / "nowhere" / "tokenizer.json")
