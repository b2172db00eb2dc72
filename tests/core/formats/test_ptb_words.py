"""Any word goes into a bracketing and comes back the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.tokens import Token
from core.data.tree import TreeBuilder
from core.formats import ptb
from core.formats.records import BadLine, ParseRecord, SentenceRecord, Tail

NASTY = [
    "(", ")", "[", "]", "{", "}", ":-)", "(c)", "/", "\\/", "*", "\\*", '"', "``",
    "''", "'", "«", "🙂", "\U0001f469\u200d\U0001f680", "1/2", "a\\b", "-", "--",
    "-LRB", "#",
]  # fmt: skip


def sentence(words: list[str], tags: list[str]) -> SentenceRecord:
    """As parsers leave them: the words of the tree are the words of the sentence."""
    builder = TreeBuilder()
    builder.open("S")
    for word, tag in zip(words, tags, strict=True):
        builder.leaf(tag, word)
    builder.close()
    tokens = tuple(Token(word) for word in words)
    return SentenceRecord(tokens, parse=ParseRecord(tree=builder.freeze()))


def again(record: SentenceRecord) -> list[SentenceRecord]:
    text = "".join(ptb.write([record]))
    read = [one for one in ptb.read([text]) if not isinstance(one, Tail)]
    assert not [one for one in read if isinstance(one, BadLine)], text
    return read


@pytest.mark.parametrize("word", [*NASTY, "a\u00a0b"])
def test_a_word_of_signs_comes_back(word: str) -> None:
    (read,) = again(sentence(["a", word, "b"], ["DT", "(", "NN"]))
    assert read.forms == ("a", word, "b")


SIGNS = st.sampled_from([*"()[]{}/\\*'\"`-_🙂aÜع", "RB", "LSB-"])
WORDS = st.lists(SIGNS, min_size=1, max_size=4).map("".join)


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_words_of_any_signs_come_back(words: list[str]) -> None:
    plain = [word for word in words if ptb.unescape(word) == word or "-" not in word]
    if plain:
        (read,) = again(sentence(plain, [":"] * len(plain)))
        assert read.forms == tuple(plain)


def test_a_tree_read_from_brackets_goes_out_as_it_was_written() -> None:
    line = "(S (-LRB- -LRB-) (CD 1\\/2) (SYM \\*) (: ...))\n"
    (read,) = (one for one in ptb.read([line]) if isinstance(one, SentenceRecord))
    assert read.forms == ("(", "1/2", "*", "...")
    anew = SentenceRecord(read.tokens, parse=read.parse)
    assert "".join(ptb.write([anew])) == line


def test_what_was_refused_does_not_go_out_with_its_neighbours() -> None:
    lines = ["(S (NN one))\n", "(S (NN two) oops (NN three))\n", "(S (NN four))\n"]
    read = [one for one in ptb.read(lines) if not isinstance(one, BadLine)]
    assert "".join(ptb.write(read)) == lines[0] + lines[2]


def test_a_refused_tree_over_several_lines_leaves_nothing() -> None:
    lines = ["(S (NN one))\n", "(S (NN two)\n", "  () (NN x)\n", "  (NN y))\n"]
    lines += ["(S (NN four))\n"]
    read = [one for one in ptb.read(lines) if not isinstance(one, BadLine)]
    assert "".join(ptb.write(read)) == lines[0] + lines[-1]


def test_a_refused_tree_does_not_take_the_next_one_on_its_line_along() -> None:
    lines = ["(S (NN one) oops (NN two)) (S (NN three))\n", "(S () (NN x)) (S\n",
             "  (NN four))\n"]  # fmt: skip
    read = list(ptb.read(lines))
    assert [one.forms for one in read if isinstance(one, SentenceRecord)] == [
        ("three",),
        ("four",),
    ]
    assert sum(isinstance(one, BadLine) for one in read) == 2
