"""A PCFG as a back-end: the contract, what it learns, and folders that lie."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from core.commands.catalogue import ENGINE
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import FormatError, InvalidValue, SentenceTooLong, Unavailable
from core.forests.inside import forest_log_partition
from core.forests.kbest import trees_of
from core.formats import ptb
from core.parsing import registry
from core.parsing.conformance import violations
from core.parsing.pcfg.grammar import HeadChoice, sample_of
from core.parsing.pcfg.model import kinds_of
from core.parsing.pcfg.training import cross_validated, examples_of, tree_of
from core.parsing.store import sha256_of
from core.protocols import (
    Analysis,
    Capability,
    ParserBackend,
    TagGuided,
    TrainingCounts,
)
from tests import small_pcfg

EVERYTHING: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})
SENTENCES = [
    Sentence.of("she slept"),
    Sentence.of("The old woman saw a dog with the telescope near the garden ."),
    Sentence.of("Mary thought that John left ."),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_pcfg.written(tmp_path_factory.mktemp("models") / "small")


@pytest.fixture(scope="module")
def backend(folder: Path) -> ParserBackend:
    return registry.load("small", folder.parent)


def _best(backend: ParserBackend, text: str) -> str:
    (answer,) = backend.analyse([Sentence.of(text)], want=EVERYTHING)
    assert isinstance(answer, Analysis)
    return ptb.bracket(trees_of(answer, 1)[0][1])


def test_a_pcfg_keeps_the_contract(backend: ParserBackend) -> None:
    assert violations(backend, SENTENCES) == []


def test_it_parses_what_it_has_not_seen(backend: ParserBackend) -> None:
    assert _best(backend, "John met the old cat .") == (
        "(S (NP (NNP John)) (VP (VBD met) (NP (DT the) (JJ old) (NN cat))) (. .))"
    )


def test_unknown_words_are_read_by_their_kind(backend: ParserBackend) -> None:
    assert "(DT the) (NN zorp)" in _best(backend, "she saw the zorp .")
    assert "(NNP Zeppo)" in _best(backend, "she saw Zeppo .")


def test_a_capital_at_the_beginning_is_no_name(backend: ParserBackend) -> None:
    assert "(DT The) (NN dog)" in _best(backend, "The dog slept .")


def test_derivations_weigh_probabilities_of_trees(backend: ParserBackend) -> None:
    (answer,) = backend.analyse([SENTENCES[1]], want=EVERYTHING)
    assert isinstance(answer, Analysis)
    assert answer.forest is not None
    assert answer.edge_weights is not None
    log_z = forest_log_partition(answer.forest, answer.edge_weights)
    assert -0.01 < log_z <= 1e-6
    assert answer.best is not None
    assert answer.best[0] <= log_z
    assert answer.tag_logp is not None
    assert np.exp(answer.tag_logp).sum(1) == pytest.approx(1.0)


def test_words_that_cannot_follow_each_other_have_tags_but_no_tree(
    backend: ParserBackend,
) -> None:
    assert isinstance(backend, TagGuided)
    signs = [{i: {".": 1.0} for i in range(3)}]
    (answer,) = backend.analyse_guided([Sentence.of(". she .")], signs, want=EVERYTHING)
    assert isinstance(answer, Analysis)
    assert answer.forest is not None
    assert answer.forest.n_nodes == 0
    assert answer.xpos == (".", ".", ".")


def test_what_is_too_long_is_refused(backend: ParserBackend) -> None:
    long = Sentence.of(["she"] * (backend.info.max_tokens + 1))
    (answer,) = backend.analyse([long], want=EVERYTHING)
    assert isinstance(answer, SentenceTooLong)


def test_it_tells_its_training_counts(backend: ParserBackend) -> None:
    assert isinstance(backend, TrainingCounts)
    assert backend.lexicon()["John"] == {"NNP": 10}
    assert backend.lexicon()[backend.entry_of("the")]["DT"] > 10
    assert backend.entry_of("zorp") not in backend.lexicon()


def test_a_guide_says_which_tags_a_word_may_have(backend: ParserBackend) -> None:
    assert isinstance(backend, TagGuided)
    sentence = Sentence.of("she saw Zeppo .")
    guides = [{2: {"PRP": 0.9, "NN": 0.1}}, {2: {"Q": 1.0}}]
    answers = backend.analyse_guided([sentence] * 2, guides, want=EVERYTHING)
    assert isinstance(answers[0], Analysis)
    assert answers[0].xpos[2] == "PRP"
    assert isinstance(answers[1], InvalidValue)


def test_cross_validation_scores_every_sentence_once() -> None:
    steps = list(cross_validated(small_pcfg.examples(), folds=3))
    assert sum(done for done, _ in steps) == 30
    scores = steps[-1][1].to_json()
    assert scores["sentences"] == 30
    assert 50 < scores["f1"] <= 100


def test_too_few_trees_are_refused() -> None:
    tree = ptb.parse_one("(S (NP (NN a)) (VP (VB b)))")
    with pytest.raises(InvalidValue, match="19 trees"):
        examples_of([(tree.words, tree)] * 19)


def test_a_discontinuous_phrase_keeps_its_head_and_the_rest_is_raised() -> None:
    # VP over "a" and "c", head "c"; "b" of S stands between them
    tree = Tree(
        ("S", "VP", "X", "V", "B"),
        (-1, 0, 1, 1, 0),
        (-1, -1, 0, 2, 1),
        ("", "", "a", "c", "b"),
        ("--", "--", "OA", "HD", "SB"),
    )
    sample = sample_of(tree, ("a", "b", "c"))
    assert sample is not None
    assert ptb.bracket(tree_of(sample)) == "(S (X a) (B b) (VP (V c)))"


def test_traces_and_function_tags_are_not_learned() -> None:
    tree = ptb.parse_one("( (S (NP-SBJ (-NONE- *)) (VP (VB go) (PP-DIR (IN up)))))")
    sample = sample_of(tree, tree.words)
    assert sample is not None
    assert ptb.bracket(tree_of(sample)) == "(S (VP (VB go) (PP (IN up))))"


def test_heads_are_found_without_a_table() -> None:
    samples = small_pcfg.examples().samples
    heads = HeadChoice(samples)
    heads_of = {
        (one.label, one.parts[heads(one)].label)
        for sample in samples
        for one in sample.phrases()
        if len(one.parts) > 1
    }
    assert {("S", "VP"), ("VP", "VBD"), ("PP", "IN"), ("SBAR", "IN")} <= heads_of
    assert ("S", ".") not in heads_of


def test_kinds_of_words_go_from_general_to_special() -> None:
    assert kinds_of("Walked", first=True)[:2] == ("Xx^", "Xx^")
    assert kinds_of("walked", first=False)[-1] == "x~alked"
    assert kinds_of("B-52s", first=False)[1] == "Xx9-"
    assert kinds_of("…", first=False)[0] == "sign"


@pytest.mark.parametrize(
    ("name", "value"),
    [("right", 10**6), ("head", -1), ("by_left", 10**6), ("chain_name", 10**6)],
)
def test_a_folder_with_numbers_out_of_range_is_refused(
    folder: Path, tmp_path: Path, name: str, value: int
) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    with np.load(copy / "grammar.npz") as arrays:
        grammar = dict(arrays)
    grammar[f"fine.{name}"][-1] = value
    np.savez_compressed(copy / "grammar.npz", **grammar)
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["files"]["grammar.npz"]["sha256"] = sha256_of(copy / "grammar.npz")
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(Unavailable, match="train it again"):
        registry.at(copy).analyse(SENTENCES, want=EVERYTHING)


def test_a_changed_file_is_refused(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    with (copy / "model.json").open("a") as file:
        file.write(" ")
    with pytest.raises(Unavailable, match="SHA-256"):
        registry.at(copy).analyse(SENTENCES, want=EVERYTHING)


def _run(**options: object) -> dict[str, object]:
    defaults = {"ptb": [], "tiger": [], "name": None, "language": "en", "folds": 0}
    given = {**defaults, "licence": "CC0-1.0", **options}
    module = ENGINE.module_of("train", "pcfg")
    results: dict[str, object] = module.run(given, lambda _: None)
    return results


def test_a_treebank_file_becomes_a_parser(tmp_path: Path) -> None:
    treebank = tmp_path / "mine.ptb"
    treebank.write_text("\n".join(small_pcfg.bracketings()))
    results = _run(ptb=[treebank], out=tmp_path / "mine", folds=3)
    assert results["trees"] == 30
    assert "(VBD saw)" in _best(registry.at(tmp_path / "mine"), "she saw Mary .")


def test_training_without_a_treebank_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="--ptb"):
        _run(out=tmp_path / "mine")
    assert not (tmp_path / "mine").exists()
