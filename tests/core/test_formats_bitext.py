"""Parallel text: what each codec takes, what it says of a bad line, what comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats.bitext import moses, tmx, tsv
from core.formats.bitext.records import BitextRecord, cut_signs, unescaped
from core.formats.records import BadLine

token = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Z", "Cn", "Co"]), min_size=1
)
side = st.lists(token, max_size=4).map(tuple)


def test_an_empty_line_is_no_counterpart() -> None:
    records = list(moses.read(["a house\n", "yes\n"], ["ein Haus\n", "\n"]))
    assert records == [
        BitextRecord(0, ("a", "house"), ("ein", "Haus"), None, 1),
        BitextRecord(1, ("yes",), (), None, 2),
    ]


@pytest.mark.parametrize(
    ("sources", "targets", "links"),
    [(["a", "b"], ["x"], None), (["a"], ["x", "y"], None), (["a"], ["x"], ["", "0-0"])],
)
def test_a_file_that_ends_early_is_told(
    sources: list[str], targets: list[str], links: list[str] | None
) -> None:
    *_, last = moses.read(sources, targets, links)
    assert isinstance(last, BadLine)
    assert (last.line, last.column) == (2, 1)
    assert "same number of lines" in last.remedy


def test_links_beside_are_checked_and_sorted() -> None:
    first, second, third = moses.read(["a b"] * 3, ["x y"] * 3, ["1-1 0-0", "2-0", "z"])
    assert isinstance(first, BitextRecord)
    assert first.links == "0-0 1-1"
    assert isinstance(second, BadLine)
    assert second.line == 2
    assert "missing token" in second.reason
    assert isinstance(third, BadLine)
    assert "is not a link" in third.reason


def test_a_control_character_is_a_bad_line() -> None:
    good, bad = moses.read(["a\n", "b\0c\n"], ["x\n", "y\n"])
    assert isinstance(good, BitextRecord)
    assert isinstance(bad, BadLine)
    assert (bad.line, bad.column) == (2, 2)


@given(st.lists(st.tuples(side, side)))
def test_two_files_give_the_pairs_of_their_lines(pairs) -> None:
    texts = [[" ".join(pair[i]) + "\n" for pair in pairs] for i in (0, 1)]
    sides = [(record.source, record.target) for record in moses.read(*texts)]
    assert sides == pairs


@given(st.lists(st.tuples(side, side)))
def test_a_tsv_gives_the_pairs_of_its_rows(pairs) -> None:
    records = [BitextRecord(i, *pair, None, i + 1) for i, pair in enumerate(pairs)]
    rows = ["\t".join(map(" ".join, pair)) + "\n" for pair in pairs]
    assert list(tsv.read(rows)) == records


def test_tsv_takes_links_from_the_third_column() -> None:
    (record,) = tsv.read(["a b\tx\t1-0\tmore\n"], linked=True)
    assert isinstance(record, BitextRecord)
    assert record.links == "1-0"
    (bad,) = tsv.read(["a b\tx\n"], linked=True)
    assert isinstance(bad, BadLine)
    assert "columns: 2; expected 3" in bad.reason


def test_text_that_is_not_tokenised_is_cut() -> None:
    (record,) = tsv.read(
        ["It's late.\tIl est tard, n'est-ce pas ?"],
        cut_source=cut_signs,
        cut_target=cut_signs,
    )
    assert isinstance(record, BitextRecord)
    assert record.source == ("It's", "late", ".")
    assert record.target[-2:] == ("pas", "?")


def test_moses_entities_can_be_undone() -> None:
    assert unescaped("we &apos;re &amp;quot; &#124;") == "we 're &quot; |"


TMX = """<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en-GB"><seg>a <bpt i="1">&lt;b></bpt>small<ept i="1"/> house</seg>
</tuv><tuv xml:lang="FR"><seg>une <hi>petite</hi> maison</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>alone</seg></tuv></tu>
</body></tmx>
"""


def test_tmx_units_become_pairs() -> None:
    records = list(tmx.read(TMX.splitlines(keepends=True), source="en", target="fr"))
    assert records == [
        BitextRecord(0, ("a", "small", "house"), ("une", "petite", "maison"), None, 4),
        BitextRecord(1, ("alone",), (), None, 6),
    ]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("</body></tmx>", "", "well-formed"),
        ('SYSTEM "tmx14.dtd"', '[<!ENTITY a "b">]', "entities"),
    ],
)
def test_a_broken_tmx_file_says_where(old: str, new: str, reason: str) -> None:
    *_, last = tmx.read([TMX.replace(old, new)], source="en", target="fr")
    assert isinstance(last, BadLine)
    assert reason in last.reason
    assert last.line > 0
