"""Collections as the data folder has them: read, and made into a table once."""

import gzip
from pathlib import Path

import pytest

from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.formats import ptb
from core.pivoting.bitext import Bitext, BitextParse, parses_of, write_parses
from core.pivoting.table import open_table
from core.protocols import Analysis
from lab.reproduce.bitexts import bitexts_in
from lab.reproduce.pivot_tables import parsed, table_of
from tests.core.pivoting import small_bitext

ENGLISH = ["The sea is calm .", "", "The sea is quiet .", "We came ."]
GERMAN = ["Die See ist ruhig .", "Nichts .", "Die See ist ruhig .", ""]


def put(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


class CountingParser:
    """A parser that knows the tests' trees, and counts what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def analyse(
        self, sentences: list[Sentence], *, want: object
    ) -> list[Analysis | Exception]:
        self.asked += [" ".join(sentence.forms) for sentence in sentences]
        return [ValueError("no tree") for _ in sentences]


def test_lines_that_lack_a_side_are_left_out_and_the_others_keep_their_number(
    tmp_path: Path,
) -> None:
    put(tmp_path / "comtrans-de-en/comtrans.e.gz", *ENGLISH)
    put(tmp_path / "comtrans-de-en/comtrans.g.gz", *GERMAN)
    text = bitexts_in(tmp_path, ["comtrans-de-en"])[0]
    assert [at for at, _, _ in text.pairs()] == [0, 2]
    assert [at for at, _, _ in text.pairs(limit=2)] == [0]
    assert text.corpus == "comtrans-de-en.de"


def test_entities_are_read_and_raw_text_is_cut_into_tokens(tmp_path: Path) -> None:
    folder = tmp_path / "europarl-fr-en"
    put(folder / "europarl-v7.fr-en.en.gz", "it &apos;s calm .")
    put(folder / "europarl-v7.fr-en.fr.gz", "c&apos; est calme .")
    text = bitexts_in(tmp_path, ["europarl-fr-en"])[0]
    assert list(text.pairs()) == [(0, "it 's calm .", "c' est calme .")]
    for name in ("deu", "fra"):
        put(tmp_path / f"tatoeba/eng-{name}.txt.gz", "It's calm.\tEs ist ruhig.")
    text = bitexts_in(tmp_path, ["tatoeba"])[0]
    assert list(text.pairs()) == [(0, "It 's calm .", "Es ist ruhig .")]


def test_files_of_unequal_length_and_missing_ones_are_named(tmp_path: Path) -> None:
    put(tmp_path / "comtrans-de-en/comtrans.e.gz", *ENGLISH)
    with pytest.raises(InvalidValue, match=r"comtrans\.g\.gz: no such file"):
        bitexts_in(tmp_path, ["comtrans-de-en"])
    put(tmp_path / "comtrans-de-en/comtrans.g.gz", "Eins .")
    with pytest.raises(InvalidValue, match="not as many lines each"):
        list(bitexts_in(tmp_path, ["comtrans-de-en"])[0].pairs())


def test_a_table_is_made_and_nothing_of_it_twice(tmp_path: Path) -> None:
    put(tmp_path / "comtrans-de-en/comtrans.e.gz", *ENGLISH)
    put(tmp_path / "comtrans-de-en/comtrans.g.gz", *GERMAN)
    trees = [
        small_bitext.TREES[0].replace("(JJ old) ", ""),
        small_bitext.TREES[1].replace("(JJ ancient) ", ""),
    ]
    rows = [BitextParse(" ".join(ptb.parse_one(tree).words), tree) for tree in trees]
    write_parses(tmp_path / "trees.parquet", rows)
    parser, told = CountingParser(), list[str]()
    for _ in range(2):
        made = table_of(
            tmp_path,
            ["comtrans-de-en"],
            tmp_path / "work",
            parser,  # type: ignore[arg-type]
            told.append,
            parses=[tmp_path / "trees.parquet"],
        )
    assert parser.asked == []
    assert sum("aligned" in line for line in told) == 1
    assert len(Bitext(tmp_path / "work/comtrans-de-en.de.parquet")) == 2
    paraphrases = open_table(made).lookup("calm", "ADJP")
    assert [one.text for one in paraphrases] == ["quiet"]


def test_only_sentences_without_a_tree_are_parsed(tmp_path: Path) -> None:
    parser = CountingParser()
    for english in (["one .", "two ."], ["one .", "three ."]):
        files = parsed(english, tmp_path, parser, print)  # type: ignore[arg-type]
    assert parser.asked == ["one .", "two .", "three ."]
    assert [row.source for path in files for row in parses_of(path)] == parser.asked
