"""BLLIP as a back-end; where GEMEL_BLLIP_MODEL names a model, with it."""

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from core.data.tokens import Sentence
from core.errors import InvalidValue, SentenceTooLong, Unavailable
from core.forests.inside import forest_log_partition
from core.forests.kbest import best_trees
from core.parsing import registry
from core.parsing.bllip import BllipParser
from core.parsing.conformance import violations
from core.protocols import Analysis, Capability, TrainingCounts

EVERYTHING: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})
SENTENCES = [
    Sentence.of("she slept"),
    Sentence.of("the old woman saw a dog with the telescope near the garden ."),
    Sentence.of("Mary thought that John left ."),
]
installed = pytest.mark.skipif(
    find_spec("bllipparser") is None, reason="bllipparser is not installed"
)


def _untrained(folder: Path) -> Path:
    """A folder with a lexicon, which is no whole model."""
    folder.mkdir()
    (folder / "terms.txt").write_text("DT\t1\nNN\t2\nVBD\t2\nSTOP\t1\nS1\t0\n \n")
    (folder / "nttCounts.txt").write_text("0\t40\n1\t50\n2\t30\n3\t0\n4\t20\n")
    rows = [
        "3",
        "",
        "dog\t1 0.1 | 5",
        "saw\t1 0.02 2 0.2 | 7",
        "the\t0 0.9 | 36",
        "^^\t4 1 | 9",
        "",
    ]
    (folder / "pSgT.txt").write_text("\n".join(rows))
    return folder


def test_a_model_tells_what_it_was_trained_on(tmp_path: Path) -> None:
    backend = BllipParser(_untrained(tmp_path / "mine"))
    assert isinstance(backend, TrainingCounts)
    lexicon = backend.lexicon()
    assert lexicon["saw"] == {"NN": 1, "VBD": 6}
    assert lexicon[backend.entry_of("The")] == {"DT": 36}
    assert backend.entry_of("Zeppelin") not in lexicon
    assert "^^" not in lexicon  # the end of a sentence, under S1


def test_a_model_folder_is_found_by_its_name_and_by_its_path(tmp_path: Path) -> None:
    folder = _untrained(tmp_path / "mine")
    assert "mine" in registry.names(tmp_path)
    assert registry.load("mine", tmp_path).info.name == "mine"
    assert (
        registry.at(folder).info.version == registry.load("mine", tmp_path).info.version
    )


def test_another_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="missing: terms"):
        BllipParser(tmp_path)


@installed
def test_a_model_that_ends_its_process_costs_sentences_not_the_batch(
    tmp_path: Path,
) -> None:
    backend = BllipParser(_untrained(tmp_path / "mine"))
    answers = backend.analyse(SENTENCES[:2], want=EVERYTHING)
    assert [type(answer) for answer in answers] == [Unavailable, Unavailable]


@pytest.fixture(scope="module")
def backend() -> BllipParser:
    if find_spec("bllipparser") is None or "GEMEL_BLLIP_MODEL" not in os.environ:
        pytest.skip("needs bllipparser, and a model folder in GEMEL_BLLIP_MODEL")
    return BllipParser(Path(os.environ["GEMEL_BLLIP_MODEL"]))


def _of(backend: BllipParser, sentence: Sentence) -> Analysis:
    (answer,) = backend.analyse([sentence], want=EVERYTHING)
    assert isinstance(answer, Analysis)
    return answer


def test_bllip_keeps_the_contract(backend: BllipParser) -> None:
    assert violations(backend, SENTENCES) == []


def test_its_n_best_trees_are_the_forest(backend: BllipParser) -> None:
    answer = _of(backend, SENTENCES[1])
    assert answer.forest is not None
    assert answer.edge_weights is not None
    words, tags = SENTENCES[1].forms, answer.xpos
    ranked = best_trees(answer.forest, answer.edge_weights, 60, words=words, tags=tags)
    weights = [weight for weight, _ in ranked]
    assert 10 < len(ranked) <= 50
    assert weights == sorted(weights, reverse=True)
    assert weights[0] < forest_log_partition(answer.forest, answer.edge_weights) < 0


def test_tags_sum_to_one_and_agree_with_the_best_tree(backend: BllipParser) -> None:
    answer = _of(backend, SENTENCES[1])
    assert answer.tag_logp is not None
    assert np.exp(answer.tag_logp).sum(1) == pytest.approx(1.0)
    likeliest = [answer.tag_names[x] for x in answer.tag_logp.argmax(1)]
    assert tuple(likeliest) == answer.xpos


@pytest.mark.parametrize("text", ["( [ { } ] )", "\" ' `` ''", "naïve 中文 ß", "<s> a"])
def test_odd_tokens_are_parsed_as_they_stand(backend: BllipParser, text: str) -> None:
    assert len(_of(backend, Sentence.of(text)).xpos) == len(text.split())


def test_a_token_of_blanks_costs_nothing(backend: BllipParser) -> None:
    sentence = Sentence.of(["a", "\u00a0", "5 1/2", "dog"])
    assert len(_of(backend, sentence).xpos) == 4


def test_too_long_a_sentence_is_refused_and_the_longest_answered(
    backend: BllipParser,
) -> None:
    short, long = Sentence.of(["a"] * 398), Sentence.of(["a"] * 399)
    answers = backend.analyse([long, short], want=frozenset({"tags"}))
    assert isinstance(answers[0], SentenceTooLong)
    assert isinstance(answers[1], Analysis)
    assert len(answers[1].xpos) == 398


def test_a_guide_says_which_tags_a_word_may_have(backend: BllipParser) -> None:
    sentence = Sentence.of("the zorp slept .")
    guides = [{1: {"JJ": 0.2, "NNS": 0.8}}, {1: {"Q": 1.0}}]
    answers = backend.analyse_guided([sentence] * 2, guides, want=EVERYTHING)
    assert isinstance(answers[0], Analysis)
    assert answers[0].xpos[1] in ("NNS", "JJ")
    assert isinstance(answers[1], InvalidValue)


def test_two_models_work_side_by_side(backend: BllipParser) -> None:
    other = BllipParser(Path(os.environ["GEMEL_BLLIP_MODEL"]), name="other")
    _of(backend, SENTENCES[0])
    assert _of(other, SENTENCES[0]).xpos == _of(backend, SENTENCES[0]).xpos
    other.close()
    assert len(_of(other, SENTENCES[0]).xpos) == 2
    other.close()
