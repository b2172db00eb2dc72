"""Formats of pairs: what goes out comes back, less what each format declares."""

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.data.alignment import Alignment, Link
from core.data.tokens import Token
from core.errors import FormatError
from core.formats import formats, jsonl, msrpc, pairs, ptb, rte
from core.formats.alignments import multimwa, pharaoh
from core.formats.records import (
    BadLine,
    LayerRecord,
    PairRecord,
    ParseRecord,
    SentenceRecord,
    clean,
    flat,
)
from tests.oracles import documents

ROWS = {
    "pairs": pairs,
    "jsonl": jsonl,
    "msrpc": msrpc,
    "multimwa": multimwa,
    "rte": rte,
}
msrpc_labels = st.sampled_from(["paraphrase", "not paraphrase"])


def lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def kept(codec, text: str) -> list:
    return list(codec.read(lines(text)))


def good(codec, text: str) -> list[PairRecord]:
    return [r for r in kept(codec, text) if isinstance(r, PairRecord)]


def bad(codec, text: str) -> list[BadLine]:
    return [r for r in kept(codec, text) if isinstance(r, BadLine)]


def there_and_back(codec, records: list[PairRecord]) -> list[PairRecord]:
    text = "".join(codec.write(records))
    again = kept(codec, text)
    assert "".join(codec.write(again)) == text  # what was read is written the same
    return [r for r in again if isinstance(r, PairRecord)]


@given(st.lists(documents.pairs(), max_size=3))
def test_pairs_come_back(records) -> None:
    assert there_and_back(pairs, records) == records


@given(st.lists(documents.pairs(), max_size=3))
def test_jsonl_comes_back(records) -> None:
    assert there_and_back(jsonl, records) == records


@given(st.lists(documents.pairs(linked=False, label=msrpc_labels), max_size=3))
def test_msrpc_comes_back(records) -> None:
    named = [
        replace(
            r,
            id=f"{n}-{n + 1}",
            source=replace(r.source, id=str(n)),
            target=replace(r.target, id=str(n + 1)),
        )
        for n, r in enumerate(records)
    ]
    assert there_and_back(msrpc, named) == named


@given(st.lists(documents.pairs(linked=False), max_size=3))
def test_rte_comes_back(records) -> None:
    assert there_and_back(rte, records) == records


@given(st.lists(documents.pairs(linked=True), max_size=3))
def test_multimwa_comes_back(records) -> None:
    back = there_and_back(multimwa, records)
    assert [replace(r, meta={}) for r in back] == [
        replace(r, label="") for r in records
    ]


ids = st.text(
    st.one_of(
        st.sampled_from("\r\n\t =-'\"\ufeff\u2028\x85\x0b\x00&<"),
        st.characters(exclude_categories=["Cs", "Cc", "Cn"]),
    ),
    max_size=8,
)


@pytest.mark.parametrize("codec", [pairs, multimwa, jsonl, rte])
@given(name=ids)
def test_any_id_comes_back_on_one_line_or_its_row_is_refused(codec, name: str) -> None:
    if codec is rte:  # XML has no way to write control characters
        assume("\x0b" not in name and "\x00" not in name)
    sides = [SentenceRecord((Token("a"),), "a"), SentenceRecord((Token("b"),), "b")]
    layers = (LayerRecord(Alignment((Link("w0", "w0"),))),)
    made = [PairRecord(*sides, one, "", layers) for one in (name, "the next")]
    back = kept(codec, "".join(codec.write(made)))
    rows = [r for r in back if isinstance(r, PairRecord | BadLine)]
    assert len(rows) == 2
    assert isinstance(rows[1], PairRecord)
    assert rows[1].id == "the next"
    if isinstance(rows[0], PairRecord):
        assert rows[0].id in (name, flat(name))
    else:
        with pytest.raises(FormatError):
            clean(name, line=1)


@pytest.mark.parametrize(
    ("codec", "row"),
    [
        (pairs, "{}\ta b\tc d\tyes\n"),
        (multimwa, "{}\ta b\tN/A\tc d\tN/A\t1\t1\t0-0\t\n"),
        (msrpc, "1\t{}\t8\ta b\tc d\n"),
    ],
)
def test_a_lone_carriage_return_in_a_row_is_refused_with_its_place(codec, row) -> None:
    for name in ("\r=1", "a\r=1", "a\r"):
        (refused,) = bad(codec, row.format(name))
        column = row.index("{") + name.index("\r") + 1
        assert (refused.line, refused.column) == (1, column)
        assert "carriage return" in refused.reason
    windows = row.format("7").replace("\n", "\r\n")
    assert (len(good(codec, windows)), bad(codec, windows)) == (1, [])


@given(st.data())
def test_pharaoh_links_come_back(data) -> None:
    alignment = data.draw(documents.alignments(5, 4))
    assert pharaoh.parse(pharaoh.dumps(alignment), 5, 4) == alignment


@given(st.lists(documents.pairs(linked=True), max_size=3))
def test_pharaoh_files_come_back(records) -> None:
    links = lines("".join(pharaoh.write(records)))
    sources = [pharaoh.write_texts(r.source) for r in records]
    targets = [pharaoh.write_texts(r.target) for r in records]
    back = list(pharaoh.read(links, sources, targets))
    assert back == [replace(r, id="", label="") for r in records]


def test_pharaoh_reads_both_signs_of_the_possible_and_keeps_them() -> None:
    text = "0-0 1?1 2p2\n"
    (record,) = pharaoh.read([text], ["a b c\n"], ["d e f\n"])
    kinds = [link.kind for link in record.layers[0].alignment.links]
    assert kinds == ["sure", "possible", "possible"]
    assert "".join(pharaoh.write([replace(record, raw="")])) == text


def test_pharaoh_a_link_that_is_sure_once_is_sure() -> None:
    for text in ("0-0 0?0", "0?0 0-0", "0p0 0-0 0?0"):
        assert [link.kind for link in pharaoh.parse(text).links] == ["sure"]


@pytest.mark.parametrize(
    ("links", "column", "words"),
    [
        ("0-0 5-0", 5, "link 5-0 to a missing token"),
        ("0-0 x", 5, "'x' is not a link"),
        ("0-0\0", 4, "control character"),
    ],
)
def test_pharaoh_a_bad_line_costs_that_pair(links, column, words) -> None:
    read = pharaoh.read([links + "\n", "0-0\n"], ["a b\n"] * 2, ["c\n"] * 2)
    refused, fine = read
    assert (refused.line, refused.column) == (1, column)
    assert words in refused.reason
    assert isinstance(fine, PairRecord)


def test_pharaoh_files_of_unequal_length_are_named() -> None:
    *_, refused = pharaoh.read(["0-0\n", "0-0\n"], ["a\n"], ["b\n", "c\n"])
    assert (refused.line, refused.reason) == (
        2,
        "the file of source ends here, the others go on",
    )


def test_pairs_by_hand_need_no_header() -> None:
    (record,) = good(pairs, 'He said "no".\tNo, he said.\n')
    assert (record.source.text, record.target.text) == ('He said "no".', "No, he said.")
    (record,) = good(pairs, "7\tone\tuno\tsame\n")
    assert (record.id, record.label) == ("7", "same")


@pytest.mark.parametrize(
    "head", ["score\tsentence1\tsentence2", "ID\tsent_a\tsent_b\tgold", "Source \tB"]
)
def test_a_header_without_both_sides_is_no_pair(head: str) -> None:
    text = f"{head}\n4.5\tRain fell.\tIt rained.\tyes\n"
    *_, bad = pairs.read(text.splitlines(keepends=True))
    assert isinstance(bad, BadLine)
    assert (bad.line, "source and target" in bad.remedy) == (1, True)


def test_pairs_keep_comments_further_columns_and_line_ends() -> None:
    text = "# mine\nTARGET\tnote\tsource\r\nb\tx y\ta\r\n\r\nd\t\tc\r\n"
    records = [r for r in kept(pairs, text) if isinstance(r, PairRecord)]
    assert [(r.source.text, r.target.text, r.meta["note"]) for r in records] == [
        ("a", "b", "x y"),
        ("c", "d", ""),
    ]


def test_jsonl_takes_token_lists_links_and_anything_else() -> None:
    line = '{"source": ["a b", "c"], "target": "d e", "links": "0-0 1?1",'
    line += ' "id": 7, "n": [1]}'
    (record,) = good(jsonl, line + "\n")
    assert record.source.forms == ("a b", "c")
    assert (record.id, record.meta) == ("7", {"n": [1]})
    assert len(record.layers[0].alignment.links) == 2


def test_msrpc_quotes_are_letters() -> None:
    text = '\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t7\t8\t"Yes\tNo"\r\n'
    (record,) = good(msrpc, text)
    assert (record.source.text, record.target.text) == ('"Yes', 'No"')
    assert (record.id, record.label) == ("7-8", "paraphrase")
    assert "".join(msrpc.write(kept(msrpc, text))) == text


RTE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE entailment-corpus SYSTEM "rte.dtd">
<entailment-corpus challenge="2">
<pair id="1" entailment="YES" task="IE" length="short">
  <t>Cats &amp; dogs sleep.</t> <h>Dogs sleep.</h>
</pair>
</entailment-corpus>
"""


def test_msrpc_rows_without_ids_make_pairs_without_an_id() -> None:
    header = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
    text = header + "1\t\t\tIt rained\tRain fell\n0\t\t\tAnn left\tTom came\n"
    found = list(msrpc.read(text.splitlines(keepends=True)))
    assert [one.id for one in found if isinstance(one, PairRecord)] == ["", ""]


def test_rte_keeps_the_words_of_its_labels_and_may_name_a_dtd() -> None:
    (record,) = good(rte, RTE)
    assert (record.label, record.source.text) == ("YES", "Cats & dogs sleep.")
    assert record.meta["task"] == "IE"
    assert "".join(rte.write(kept(rte, RTE))) == RTE
    assert 'entailment="YES" task="IE" length="short"' in "".join(
        rte.write([replace(record, raw="")])
    )


def test_rte_declares_no_entities() -> None:
    text = RTE.replace('SYSTEM "rte.dtd"', '[<!ENTITY x SYSTEM "file:///etc/passwd">]')
    (refused,) = bad(rte, text)
    assert "entities" in refused.reason


@pytest.mark.parametrize(
    ("codec", "text", "line", "column", "words"),
    [
        (pairs, "source\ttarget\na\tb\tc\n", 2, 4, "columns: 3; expected 2"),
        (pairs, "source\ttarget\na\n", 2, 2, "columns: 1; expected 2"),
        (pairs, "source\ttarget\na\t \n", 2, 1, "the target is empty"),
        (pairs, "source\ttarget\tlinks\na\tb\t0-1\n", 2, 5, "missing token"),
        (pairs, "source\ttarget\na\tb\0\n", 2, 4, "control character"),
        (
            pairs,
            "id\tsource\ttarget\tSource\n1\ta\tb\tc\n",
            1,
            1,
            "'source' is there twice",
        ),
        (jsonl, '{"source": "a", "target"\n', 1, 25, "not JSON"),
        (jsonl, "[1]\n", 1, 1, "not an object"),
        (jsonl, '{"source": "a"}\n', 1, 1, "'target' is missing"),
        (jsonl, '{"source": "a", "target": "\\ud800"}\n', 1, 28, "surrogate"),
        (jsonl, '{"source": "a", "target": "\\u0000"}\n', 1, 28, "U+0000"),
        (jsonl, '{"source": "a", "target": NaN}\n', 1, 27, "not a number"),
        (jsonl, "[" * 100_000 + "\n", 1, 1, "nested too deep"),
        (jsonl, '{"x":' + "[" * 30 + "]" * 30 + "}\n", 1, 1, "nested too deep"),
        (jsonl, '{"source": "a", "target": "b", "id": []}\n', 1, 1, "'id' must be"),
        (msrpc, "2\t1\t2\ta\tb\n", 1, 1, "quality '2'"),
        (msrpc, "1\t1\t2\ta\n", 1, 8, "columns: 4; expected 5"),
        (multimwa, "1\ta\tN/A\tb\tN/A\t1\t1\t0-3\t\t\t\n", 1, 19, "missing token"),
        (pairs, "source\ttarget\tlinks\na b\tc\t0-0 2-0\n", 2, 11, "missing token"),
        (multimwa, "1\ta\tb\n", 1, 6, "3 columns"),
        (rte, RTE.replace("Dogs sleep.", ""), 4, 1, "hypothesis <h> is empty"),
    ],
)
def test_bad_rows_say_where_and_why(codec, text, line, column, words) -> None:
    (refused,) = bad(codec, text)
    assert words in refused.reason
    assert (refused.line, refused.column) == (line, column)


def test_a_bad_row_never_blocks_the_rest() -> None:
    rows = "source\ttarget\na\tb\nonly\nc\td\n"
    assert [r.source.text for r in good(pairs, rows)] == ["a", "c"]


TREE = ptb.parse_one("(S (NN a) (VB b))")


def rich(number: int) -> PairRecord:
    """A pair that says all a record can say."""
    sides = [
        SentenceRecord(
            (Token("a", "lemma", "NOUN", "NN"), Token("b", "", "VERB", "VB")),
            "a b",
            f"{side}{number}",
            ParseRecord(tree=TREE),
        )
        for side in "st"
    ]
    links = (Link("w0", "w0"), Link("w1", "w0", "possible"), Link("n0", "n0"))
    first = Alignment(links, frozenset(), frozenset({"w1"}))
    layers = (LayerRecord(first, "ada"), LayerRecord(Alignment(links[:1]), "bob"))
    return PairRecord(sides[0], sides[1], f"{number}", "TRUE", layers, {"note": "x"})


def aspects(record: PairRecord) -> set[str]:
    """What of ``rich`` is there, by the word a loss statement uses for it."""
    layer = record.layers[0].alignment if record.layers else Alignment()
    refs = {link.source[0] for link in layer.links}
    present = {
        "id": bool(record.id),
        "label": record.label == "TRUE",
        "column": record.meta.get("note") == "x",
        "parse": record.source.parse is not None,
        "link": "w" in refs,
        "phrase": "n" in refs,
        "null": bool(layer.null_target),
        "layer": len(record.layers) > 1,
    }
    return {name for name, there in present.items() if there}


SURVIVES = {
    "pairs": {"id", "label", "link"},
    "jsonl": {"id", "label", "link", "column"},
    "msrpc": {"id"},
    "multimwa": {"id", "link"},
    "rte": {"id", "label"},
}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_exactly_the_declared_is_lost(name: str) -> None:
    codec = ROWS[name]
    (back,) = good(codec, "".join(codec.write([rich(1)])))
    left = aspects(back)
    assert left == SURVIVES[name]
    declared = " ".join(codec.FORMAT.losses).lower()
    lost = {"label", "column", "parse", "link", "phrase", "null", "layer"} - left
    if "link" not in left:  # "links are left out" says it of all kinds of links
        lost -= {"phrase", "null"}
    assert {word for word in lost if word not in declared} == set()


def test_every_loss_is_a_sentence() -> None:
    for one in formats():
        assert all(re.fullmatch(r"[A-Z].*[.]", loss) for loss in one.losses)


def test_discontinuous_trees_are_refused_as_brackets() -> None:
    tree = replace(TREE, tokens=(-1, 1, 0))
    record = SentenceRecord((Token("b"), Token("a")), parse=ParseRecord(tree=tree))
    with pytest.raises(FormatError, match="discontinuous"):
        list(ptb.write([record]))
