"""Word distances, the thesaurus, and doing without it."""

import nltk
import numpy as np
import pytest

from core.errors import InvalidValue, Unavailable
from core.text import wordnet
from core.text.stems import STOP_WORDS, stem
from core.word_alignment.lexicon import (
    LexiconSettings,
    WordRelation,
    cosines,
    distances,
    relations,
)
from tests import small_wordnet


@pytest.fixture
def tiny(tmp_path) -> wordnet.Thesaurus:
    small_wordnet.write(tmp_path)
    return wordnet.Thesaurus(tmp_path)


def test_thesaurus_reads_senses_pointers_and_inflections(tiny) -> None:
    assert tiny.related("cars").synonyms == {"car", "auto"}
    assert tiny.related("bought").lemmas == {"bought", "buy"}
    assert tiny.related("Bought").synonyms == {"buy", "purchase"}
    assert tiny.related("autos").kin == {"vehicle"}
    assert tiny.related("bought").derivations == {"sell"}
    purchased = tiny.related("purchased")
    assert purchased.derivations == frozenset()  # of this word, not its synset
    assert tiny.related("qwerty").synonyms == frozenset()


def test_relations_from_exact_to_none(tiny) -> None:
    source = ["The", "cars", "were", "bought"]
    target = ["the", "automobiles", "auto", "sold", "purchased"]
    table = relations(source, target, tiny)
    assert table[0, 0] == WordRelation.EXACT
    assert table[1].tolist() == [5, 5, WordRelation.SYNONYM, 5, 5]
    assert table[3].tolist() == [5, 5, 5, 5, WordRelation.SYNONYM]
    assert (table[2] == WordRelation.NONE).all()


WORDS = (
    "car",
    "Autos",
    "vehicles",
    "buy",
    "bought",
    "purchase",
    "sold",
    "sees",
    "lake",
)


@pytest.mark.parametrize("source", WORDS)
@pytest.mark.parametrize("target", WORDS)
def test_relations_are_those_of_the_words_themselves(tiny, source, target) -> None:
    known, own = tiny.related(source), tiny.related(target).lemmas
    wanted = WordRelation.NONE
    for relation, names in (
        (WordRelation.KIN, known.kin),
        (WordRelation.DERIVED, known.derivations),
        (WordRelation.SYNONYM, known.synonyms),
        (WordRelation.STEM, known.lemmas),
    ):
        wanted = relation if names & own else wanted
    if stem(source.lower()) == stem(target.lower()):
        wanted = WordRelation.STEM
    if source.lower() == target.lower():
        wanted = WordRelation.EXACT
    assert relations([source], [target], tiny) == [[wanted]]


def test_each_thesaurus_is_remembered_by_itself(tiny, tmp_path) -> None:
    pairs = ["bought"], ["purchased"]
    assert relations(*pairs, tiny)[0, 0] == WordRelation.SYNONYM
    for path in tmp_path.glob("*.verb"):
        path.write_text(path.read_text().replace("purchase", "porchase"))
    other = wordnet.Thesaurus(tmp_path)
    assert relations(*pairs, other)[0, 0] == WordRelation.NONE
    assert relations(*pairs, None)[0, 0] == WordRelation.NONE
    assert relations(*pairs, tiny)[0, 0] == WordRelation.SYNONYM


def test_without_thesaurus_stems_still_match() -> None:
    table = relations(["Investors", "decided"], ["investor", "decides", "choose"], None)
    assert table.tolist() == [[1, 5, 5], [5, 1, 5]]


def test_function_words_match_nothing_but_themselves() -> None:
    table = relations(["is", "as"], ["was", "as"], None)
    assert table.tolist() == [[5, 5], [5, 0]]


def test_distances_and_stop_list_and_context() -> None:
    rules = LexiconSettings(stem=0.2, substitution=1.0)
    source, target = ["the", "dogs", "ran"], ["the", "dog", "slept"]
    pair = relations(source, target, None), source, target
    plain = distances(*pair, rules)
    assert plain.tolist() == [[0, 1, 1], [1, 0.2, 1], [1, 1, 1]]
    stopped = LexiconSettings(stem=0.2, stop_list=1.0)
    assert distances(*pair, stopped)[0].tolist() == [1, 1, 1]
    cosine = np.full((3, 3), 0.1)
    cosine[2, 2] = 0.7
    close = distances(*pair, rules, cosine=cosine)
    assert close[2, 2] == pytest.approx(0.5)
    assert close[1, 1] == 0.2


def test_missing_thesaurus_says_how_to_get_one(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("WNHOME", raising=False)
    monkeypatch.setattr(wordnet, "SYSTEM_FOLDERS", (tmp_path,))
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(Unavailable, match="wordnet-base"):
        wordnet.wordnet_folder()
    with pytest.raises(Unavailable, match="no readable WordNet"):
        wordnet.Thesaurus(tmp_path)


def test_folder_named_by_environment_comes_first(tiny, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("WNHOME", str(tmp_path))
    assert wordnet.wordnet_folder() == tmp_path


def test_real_wordnet_knows_synonyms_if_it_is_installed() -> None:
    try:
        installed = wordnet.thesaurus()
    except Unavailable as error:
        pytest.skip(str(error))
    assert "purchase" in installed.related("bought").synonyms
    assert "decision" in installed.related("decide").derivations
    assert "vehicle" not in installed.related("car").synonyms


def test_bad_settings_are_refused() -> None:
    with pytest.raises(InvalidValue):
        LexiconSettings(stem=-0.1)
    with pytest.raises(InvalidValue):
        LexiconSettings(cosine_low=0.9, cosine_high=0.5)


def test_stems_and_stop_words() -> None:
    assert stem("Running") == "run"
    assert stem("U.S.") == "u.s."
    assert {"the", "n't", "'s"} <= STOP_WORDS
    assert "president" not in STOP_WORDS


def test_cosines_survive_a_zero_vector() -> None:
    table = cosines(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[2.0, 0.0]]))
    assert table.tolist() == [[1.0], [0.0]]
