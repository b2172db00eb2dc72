"""A parser that substitutes, over a small parser that knows a dozen words."""

import pytest

from core.data.tokens import Sentence
from core.errors import InvalidValue, Unavailable
from core.parsing import conformance
from core.protocols import Analysis
from core.substitution.candidates import (
    Candidate,
    Candidates,
    mean_tags,
    reranked,
    tag_divergence,
)
from core.substitution.linking import LinkingCounts
from core.substitution.options import Options
from core.substitution.substituting import Substituting
from tests.core.substitution.flat import EVERYTHING, TEXT, Flat, Mute, corpus

SMALL = Options(method="replace", f_q=1, f_c=2, f_lc=2, n_nearest=1)


def test_a_substituting_parser_keeps_the_contract_of_parsers() -> None:
    sentences = [Sentence.of("the wug sleeps"), Sentence.of("Wug plimbs")]
    for method in ("replace", "doubt", "tell", "sum"):
        options = Options(method=method, f_q=1, f_c=2, f_lc=2)
        parser = Substituting(Flat(), TEXT, options)
        assert conformance.violations(parser, sentences) == []


def test_an_unknown_word_is_read_as_its_nearest_known_one() -> None:
    parser = Substituting(Flat(), TEXT, SMALL)
    plan = parser.plan(Sentence.of("the wug sleeps"))
    assert plan.read.forms == ("the", "cat", "sleeps")
    assert [query.form for query in plan.queries] == ["wug"]
    (answer,) = parser.analyse([plan.sentence], want=EVERYTHING)
    assert isinstance(answer, Analysis)
    assert answer.sentence.forms == ("the", "wug", "sleeps")
    assert answer.xpos == ("DT", "NN", "VBZ")


def test_capitals_are_carried_over() -> None:
    plan = Substituting(Flat(), TEXT, SMALL).plan(Sentence.of("Wug runs"))
    assert plan.read.forms == ("Cat", "runs")


def test_only_doubted_words_are_replaced_by_that_method() -> None:
    options = Options(method="doubt", f_q=1, f_c=2, f_lc=2)
    parser = Substituting(Flat(), TEXT, options)
    (answer,) = parser.analyse([Sentence.of("the wug sleeps")], want=EVERYTHING)
    assert isinstance(answer, Analysis)
    assert answer.xpos == ("DT", "NN", "VBZ")
    plan = parser.plan(Sentence.of("the wug sleeps"))
    (kept,) = parser.doubtful([plan], [answer])
    assert kept.queries == ()
    assert kept.note == "the tags it was given are likely ones"


def test_tags_can_be_told_instead_of_words() -> None:
    options = Options(method="tell", f_q=1, f_c=2, f_lc=2)
    parser = Substituting(Flat(), TEXT, options)
    plan = parser.plan(Sentence.of("the wug sleeps"))
    assert plan.read.forms == plan.sentence.forms
    (answer,) = parser.analyse([plan.sentence], want=EVERYTHING)
    assert isinstance(answer, Analysis)
    assert answer.xpos[1] == "NN"


@pytest.mark.parametrize(
    ("linking", "text", "why"),
    [
        (corpus(), "the wug sleeps", "the linking corpus is empty"),
        (TEXT, "Ελπίδα 犬", "does not have its unknown words"),
        (TEXT, "the cat sleeps", "no word is rare"),
        (corpus("wug plimb", "a b"), "wug plimb", "no known word is near enough"),
    ],
)
def test_what_cannot_be_helped_is_parsed_as_it_stands_and_says_so(
    linking: LinkingCounts, text: str, why: str
) -> None:
    sentence = Sentence.of(text)
    parser = Substituting(Flat(), linking, SMALL)
    assert why in parser.plan(sentence).note
    (answer,) = parser.analyse([sentence], want=EVERYTHING)
    (plain,) = Flat().analyse([sentence], want=EVERYTHING)
    assert isinstance(answer, Analysis)
    assert isinstance(plain, Analysis)
    assert (answer.xpos, answer.sentence) == (plain.xpos, sentence)


def test_a_parser_that_hides_its_words_is_refused() -> None:
    with pytest.raises(Unavailable, match="does not list its training words"):
        Substituting(Mute(), TEXT)


def test_a_word_may_not_replace_itself() -> None:
    with pytest.raises(InvalidValue, match="f_q <= f_c"):
        Options(f_q=5, f_c=3)


def test_neighbours_do_not_hang_on_the_other_words_asked_for() -> None:
    alone = Candidates(Flat(), TEXT, SMALL).nearest(["plimbs"])
    among = Candidates(Flat(), TEXT, SMALL).nearest(["wug", "plimbs", "dog"])
    assert alone == among[1:2]


def test_reranking_takes_the_candidate_whose_tags_are_most_like_all() -> None:
    near = [
        Candidate("a", 0.1, {"NN": 0.5, "VB": 0.5}),
        Candidate("b", 0.2, {"NN": 1.0}),
        Candidate("c", 0.3, {"NN": 0.8, "VB": 0.2}),
    ]
    wanted = mean_tags(near)
    assert wanted == pytest.approx({"NN": 2.3 / 3, "VB": 0.7 / 3})
    assert [c.form for c in reranked(near, floor=1e-3)] == ["c", "a", "b"]
    assert tag_divergence(wanted, wanted, floor=1e-3) == pytest.approx(0)


def test_an_answer_says_which_words_were_helped_with_what() -> None:
    parser = Substituting(Flat(), TEXT, SMALL)
    (answer,) = parser.analyse([Sentence.of("the wug sleeps")], want=EVERYTHING)
    assert isinstance(answer, Analysis)
    (advice,) = answer.advice
    assert (advice.token, advice.read_as) == (1, "cat")
    assert advice.tags[0] == ("NN", 1.0)
    assert [form for form, _ in advice.near] == ["cat"]
    assert "the …" in advice.shared


def test_a_word_that_was_only_told_tags_is_read_as_itself() -> None:
    options = Options(method="tell", f_q=1, f_c=2, f_lc=2, n_nearest=2)
    parser = Substituting(Flat(), TEXT, options)
    (answer,) = parser.analyse([Sentence.of("the wug sleeps")], want=EVERYTHING)
    assert isinstance(answer, Analysis)
    assert [one.read_as for one in answer.advice] == [""]
