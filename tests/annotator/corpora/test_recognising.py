"""Which format a file is in, found by trying; the examples beside the form."""

import io
from collections.abc import Mapping
from dataclasses import replace

import pytest

from annotator.exchange import registry
from annotator.exchange.files import Source
from annotator.exchange.registry import FORMATS
from core.formats.records import BadLine, PairRecord

EXAMPLES = {one.name: one.example for one in FORMATS.values()}

NAMED = {"pharaoh", "treealigner", "lines"}  # several files, or text of any kind


def source(name: str, text: str) -> Source:
    return Source(name, lambda: io.BytesIO(text.encode()), "", "latin-1")


def sources(files: Mapping[str, str]) -> list[Source]:
    return [source(name, text) for name, text in files.items()]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_read_and_recognised(name: str) -> None:
    kind, files = FORMATS[name], sources(EXAMPLES[name])
    read = [one for _, one in registry.read(kind, registry.arrange(kind, files))]
    assert read
    assert not [one for one in read if isinstance(one, BadLine)]
    assert registry.format_of(sources(EXAMPLES[name])) is kind


@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - NAMED))
def test_the_name_of_a_file_does_not_matter(name: str) -> None:
    (text,) = EXAMPLES[name].values()
    assert registry.format_of([source("upload.dat", text)]) is FORMATS[name]


def test_one_bad_row_among_good_ones_changes_nothing() -> None:
    rows = "id\tsource\ttarget\n1\tA boat.\tBoats.\n2\tno second side\n3\tYes.\tNo.\n"
    assert registry.format_of([source("a.tsv", rows)]) is FORMATS["pairs"]
    trees = "(S (X a))\n(S (X b)\n(S (X c))\n"
    assert registry.format_of([source("a.txt", trees)]) is FORMATS["ptb"]


def test_two_tab_separated_columns_are_pairs_and_prose_is_nothing() -> None:
    assert registry.format_of([source("a", "A boat.\tBoats.\n")]) is FORMATS["pairs"]
    assert registry.format_of([source("a.tsv", "A boat left.\nIt was noon.\n")]) is None
    assert registry.format_of([source("a", "")]) is None


def test_only_the_beginning_is_read() -> None:
    many = b"1\tA boat.\tBoats.\n" * 100_000
    start = registry.beginning(io.BytesIO(many)).read()
    assert len(start) <= registry.START
    assert start.endswith(b"\n")
    assert len(registry.beginning(io.BytesIO(b"x" * 2**20)).read()) == registry.START


def test_an_alignment_is_recognised_by_its_root_though_its_treebanks_are_cut() -> None:
    """Of long treebanks only the beginning is tried, perhaps without what is linked."""
    texts = EXAMPLES["treealigner"]
    cut = {
        name: text if "<treealign" in text else text.split("<s ")[0]
        for name, text in texts.items()
    }
    assert registry.format_of(sources(cut)) is FORMATS["treealigner"]
    last_first = dict(reversed(texts.items()))
    assert registry.format_of(sources(last_first)) is FORMATS["treealigner"]


def test_no_file_of_several_is_passed_over_in_silence() -> None:
    texts = EXAMPLES["treealigner"]
    files = sources(texts | {"more.xml": next(iter(EXAMPLES["tigerxml"].values()))})
    kind = FORMATS["treealigner"]
    read = [one for _, one in registry.read(kind, registry.arrange(kind, files))]
    (bad,) = [one for one in read if isinstance(one, BadLine)]
    assert (bad.file, "not named by the alignment" in bad.reason) == ("more.xml", True)
    kind, files = FORMATS["tigerxml"], sources(texts)
    read = [one for _, one in registry.read(kind, files)]
    (bad,) = [one for one in read if isinstance(one, BadLine)]
    assert "TigerXML" in bad.reason
    assert bad.file in texts
    assert bad.remedy


def test_the_suffix_of_a_treebank_decides_however_broken_it_is() -> None:
    broken = "1\tShe\tshe\n2\tsleeps\tsleep\n"
    for name in ("dev.conllu", "DEV.CONLLU"):
        assert registry.format_of([source(name, broken)]) is FORMATS["conllu"]
    read = registry.read(FORMATS["conllu"], [source("dev.conllu", broken)])
    (line,) = [one for _, one in read if isinstance(one, BadLine)]
    assert line.line == 1


def test_text_that_nothing_else_reads_holds_a_sentence_a_line() -> None:
    prose = "A boat left.\n\nIt was noon.\n"
    assert registry.format_of([source("a.txt", prose)]) is FORMATS["lines"]
    assert registry.format_of([source("a.dat", prose)]) is None
    tabs = "A boat.\tBoats.\n"
    assert registry.format_of([source("a.txt", tabs)]) is FORMATS["pairs"]
    trees = "(S (X a))\n"
    assert registry.format_of([source("a.txt", trees)]) is FORMATS["ptb"]


def test_a_table_of_numbers_is_not_a_table_of_pairs() -> None:
    scored = "s1\t4.5\tA boat left.\tBoats left.\ns2\t1\tYes.\tNo.\n"
    assert registry.format_of([source("a.tsv", scored)]) is None
    named = "id\tsource\ttarget\n" + "1\t4.5\t3\n"
    assert registry.format_of([source("a.tsv", named)]) is FORMATS["pairs"]
    chosen = {"source": 3, "target": 4, "id": 1}
    read = registry.read(FORMATS["pairs"], [source("a.tsv", scored)], chosen)
    records = [one for _, one in read if isinstance(one, PairRecord)]
    assert [one.source.text for one in records] == ["A boat left.", "Yes."]


def test_a_format_claims_files_that_a_looser_one_could_read(monkeypatch) -> None:
    """Its first lines decide, not the share of rows that each could read."""
    rows = "score\tsource\ttarget\n4.5\tA boat left.\tBoats left.\n"
    assert registry.format_of([source("a.tsv", rows)]) is FORMATS["pairs"]
    scored = replace(
        FORMATS["pairs"],
        name="scored",
        strictness=3,
        claims=lambda start: start.startswith("score\t") or None,
    )
    monkeypatch.setitem(FORMATS, "scored", scored)
    assert registry.format_of([source("a.tsv", rows)]) is scored
    others = "id\tsource\ttarget\n1\tA boat left.\tBoats left.\n"
    assert registry.format_of([source("a.tsv", others)]) is FORMATS["pairs"]
