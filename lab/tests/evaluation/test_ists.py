"""Chunk alignments of iSTS: what is read, what is refused, and the task's measure."""

import pytest

from core.errors import FormatError
from lab.evaluation import ists
from lab.evaluation.phrase_corpora import chunk_f1, chunk_links, phrase_pair

WA = """<sentence id="7" status="">
// Bees : they hum
// The bees buzz softly
<source>
1 Bees : 
2 : : 
3 they : 
4 hum : 
</source>
<translation>
1 The : 
2 bees : 
3 buzz : 
4 softly : 
</translation>
<alignment>
1 <==> 1 2 // EQUI // 5 // Bees <==> The bees
3 4 <==> 3 // SIMI_FACT // 3 // they hum <==> buzz
2 <==> 0 // NOALI // NIL // : <==> -not aligned-
0 <==> 4 // NOALI // NIL // -not aligned- <==> softly
</alignment>
</sentence>
"""


def read(text: str = WA) -> list[ists.ChunkPair]:
    return list(ists.read(text.splitlines(keepends=True)))


def test_tokens_chunks_and_links_are_read() -> None:
    (pair,) = read()
    assert (pair.id, pair.source) == ("7", ("Bees", ":", "they", "hum"))
    assert pair.target == ("The", "bees", "buzz", "softly")
    assert pair.links[1] == ists.ChunkLink((2, 3), (2,), ("SIMI", "FACT"))
    assert pair.links[2] == ists.ChunkLink((1,), (), ("NOALI",))
    assert pair.chunks(0) == [(0,), (1,), (2, 3)]
    assert pair.chunks(1) == [(0, 1), (2,), (3,)]


def test_pairs_come_one_by_one() -> None:
    def lines():
        yield from WA.splitlines(keepends=True)
        pytest.fail("the second sentence was read before it was asked for")

    assert next(iter(ists.read(lines()))).id == "7"


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("3 they : ", "4 they : ", 7, "token 3 of the sentence"),
        ("3 they : ", "3 they all : ", 7, "token 3 of the sentence"),
        ("3 4 <==> 3", "3 5 <==> 3", 18, "'5' is no token of its sentence"),
        ("3 4 <==> 3", "3 4 <==> 0 3", 18, "'0' is no token of its sentence"),
        ("3 4 <==> 3", "3 ٤ <==> 3", 18, "is no token of its sentence"),
        ("3 4 <==> 3", "3 4 <==>", 18, "without a chunk on one side"),
        ("2 <==> 0", "0 <==> 0", 19, "without chunks"),
        ("3 4 <==> 3", "3 4 = 3", 18, "no link between two chunks"),
        (" // NIL // : <==> -not aligned-", "", 19, "no link between two chunks"),
        ("<translation>\n", "", 10, "<translation> is missing"),
        ("</source>\n", "", 9, "<source> is not closed"),
        ("</alignment>\n", "", 21, "<alignment> is not closed"),
        ("</sentence>", "more", 22, "</sentence> is missing"),
        ("</sentence>\n", "", 1, "ends before </sentence>"),
        ("<sentence", "<Sentence", 1, "<sentence id="),
        ("hum :", "h\x00um :", 8, "control character"),
        ("</sentence>\n", "</sentence>\n" + WA, 23, "a second sentence 7"),
    ],
)
def test_what_is_broken_is_named_by_line(
    old: str, new: str, line: int, reason: str
) -> None:
    with pytest.raises(FormatError, match=reason) as caught:
        read(WA.replace(old, new, 1))
    assert (caught.value.line, bool(caught.value.remedy)) == (line, True)
    assert caught.value.column >= 1


def test_every_cut_is_noticed() -> None:
    lines = WA.splitlines(keepends=True)
    for n in range(1, len(lines)):
        with pytest.raises(FormatError, match=r"cut off|is wanted"):
            list(ists.read(lines[:n]))


def test_chunks_are_linked_by_what_linked_nodes_cover_of_them() -> None:
    (pair,) = read()
    whole = ((0, 4), (0, 4))  # reaches out of every chunk: tells nothing
    bees, hum = ((0, 1), (1, 2)), ((3, 4), (2, 3))
    assert chunk_links(pair, [whole]) == []
    assert chunk_links(pair, [whole, hum, bees]) == [((0,), (0, 1)), ((2, 3), (2,))]
    # "hum softly" covers two of three tokens, "hum buzz" as many: the earlier is taken,
    # unless the phrase "they hum" is linked, too.
    softly = ((3, 4), (3, 4))
    assert chunk_links(pair, [hum, softly])[0] == ((2, 3), (2,))
    assert chunk_links(pair, [hum, ((2, 4), (3, 4))])[0] == ((2, 3), (3,))


def test_the_measure_is_the_tasks_token_links_by_fan_out() -> None:
    pairs = read()
    gold = [((0,), (0, 1)), ((2, 3), (2,))]
    assert chunk_f1(pairs, [gold]) == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    # Gold weighs 1/2 four times. Ours: Bees to both words (1/2 each, right), hum's
    # chunk to "softly" (1/2 each, wrong).
    scores = chunk_f1(pairs, [[gold[0], ((2, 3), (3,))]])
    assert scores == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    # One word for two: our single link weighs 1 and is right, gold's weighs 1/2.
    scores = chunk_f1(pairs, [[((0,), (1,))]])
    assert (scores["precision"], scores["recall"]) == (1.0, 0.25)
    # Punctuation does not count, nor does finding nothing divide by nothing.
    assert chunk_f1(pairs, [[((1,), (3,))]])["f1"] == 0.0


def test_a_pair_has_flat_trees_and_no_link() -> None:
    flat = phrase_pair(read()[0])
    assert flat.source.words == ("Bees", ":", "they", "hum")
    assert flat.links == {}
