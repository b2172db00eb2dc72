import pytest

from core.agreement.trees.attachment import Attachment, compare
from core.data.deps import DepTree
from core.errors import InvalidValue

GOLD = DepTree((1, -1, 1, 1), ("nsubj:pass", "root", "obj", "punct"))
GUESS = DepTree((1, -1, 0, 2), ("nsubj", "root", "obj", "punct"))


def test_heads_labels_and_subtypes_are_counted_apart() -> None:
    attachment = compare(GOLD, GUESS)
    assert attachment == Attachment(tokens=4, heads=2, labelled=1, main=2)
    assert (attachment.uas, attachment.las, attachment.las_main) == (0.5, 0.25, 0.5)


def test_punctuation_may_be_left_out_by_its_gold_tag() -> None:
    tags = ("NOUN", "VERB", "NOUN", "PUNCT")
    attachment = compare(GOLD, GUESS, without_punctuation=tags)
    assert attachment == Attachment(tokens=3, heads=2, labelled=1, main=2)


def test_no_parse_has_every_token_wrong() -> None:
    assert compare(GOLD, None) == Attachment(4, 0, 0, 0)


def test_a_tree_of_another_sentence_is_refused() -> None:
    with pytest.raises(InvalidValue, match="another length"):
        compare(GOLD, DepTree((-1,), ("root",)))


def test_counts_add_up() -> None:
    assert Attachment(2, 1, 1, 1) + Attachment(2, 2, 1, 2) == Attachment(4, 3, 2, 3)
