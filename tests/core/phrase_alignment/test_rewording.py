"""Links when words are split and joined: what goes where, and what is parked."""

from core.data.alignment import Alignment, Link
from core.formats import ptb
from core.phrase_alignment.editing import Draft
from core.phrase_alignment.rewording import reworded
from core.trees.segments import recut

WAS = ptb.parse_one("(S (NP (P I)) (VP (MD cannot) (VP (VB go))))")
NOW = ptb.parse_one("(S (NP (P I)) (VP (MD can) (RB not) (VP (VB go))))")
FLAT = ptb.parse_one("(S (P I) (MD can) (RB not) (VB go))")
SPLIT, JOIN = recut(WAS.words, NOW.words), recut(NOW.words, WAS.words)


def links(draft: Draft) -> list[tuple[str, str]]:
    return [link.cell for link in draft.alignment.links]


def draft(*cells: tuple[str, str], **more) -> Draft:
    return Draft(Alignment(tuple(Link(*cell) for cell in cells)), **more)


def test_links_of_a_split_word_go_to_both_parts_and_come_back() -> None:
    given = draft(("w1", "w4"), ("w2", "w5"), ("n1", "n1"), ("n3", "n2"), ("n5", "n6"))
    split = reworded(given, "s", SPLIT, (WAS, NOW), "new")
    assert links(split) == [
        ("n1", "n1"), ("n3", "n2"), ("n6", "n6"), ("w1", "w4"), ("w2", "w4"),
        ("w3", "w5"),
    ]  # fmt: skip
    assert (split.trees, split.parked) == (("new", ""), ())
    assert reworded(split, "s", JOIN, (NOW, WAS), "").alignment == given.alignment


def test_phrases_that_the_new_tree_does_not_have_are_parked_by_their_new_words() -> (
    None
):
    parked = reworded(draft(("n3", "n2")), "s", SPLIT, (WAS, FLAT), "flat")
    assert links(parked) == []
    assert parked.parked == ({"s": [[1, 2, 3], "VP", 0], "t": "n2", "kind": "sure"},)
    back = reworded(parked, "s", JOIN, (FLAT, WAS), "")
    assert links(back) == [("n3", "n2")]


def test_without_a_tree_all_phrases_wait() -> None:
    parked = reworded(draft(("n1", "n1"), ("w0", "w0")), "s", SPLIT, (WAS, None), "")
    assert links(parked) == [("w0", "w0")]
    assert len(parked.parked) == 1


def test_of_two_links_the_sure_one_stays_and_a_link_wins_over_a_null() -> None:
    both = Alignment(
        (Link("w1", "w4", "possible"), Link("w2", "w4")), frozenset({"w3"})
    )
    joined = reworded(Draft(both), "s", JOIN, (NOW, WAS), "")
    assert [link.kind for link in joined.alignment.links] == ["sure"]
    nulls = Draft(Alignment((Link("w1", "w4"),), frozenset({"w2"})))
    assert not reworded(nulls, "s", JOIN, (NOW, WAS), "").alignment.null_source


def test_the_target_side_brackets_and_refusals_move_too() -> None:
    given = draft(
        ("w0", "w2"),
        brackets={"t 1-3": "must-bracket", "s 1-3": "cannot-bracket"},
        rejected={"proposal 0-1 1-2": "no", "layer w1 w2": "why"},
    )
    moved = reworded(given, "t", SPLIT, (WAS, NOW), "new")
    assert links(moved) == [("w0", "w3")]
    assert moved.brackets == {"t 1-4": "must-bracket", "s 1-3": "cannot-bracket"}
    assert moved.rejected == {"proposal 0-1 1-3": "no"}
    assert moved.trees == ("", "new")
