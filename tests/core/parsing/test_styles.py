"""The shipped model that writes like its caller's treebank: one sentence, many ways."""

import hashlib

import pytest

from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.itg.scores import shipped
from core.parsing import english, registry
from core.parsing.store import open_folder
from core.phrase_alignment.aligner import PhraseAligner
from core.protocols import Analysis, Capability
from core.word_alignment.aligner import TrainedWordAligner

PLAIN: frozenset[Capability] = frozenset({"constituents", "dependencies", "tags"})


def bracketing(style: str, text: str) -> str:
    parser = registry.load(f"english-{style}")
    (answer,) = parser.analyse([Sentence.of(text)], want=PLAIN)
    assert isinstance(answer, Analysis)
    assert answer.best is not None
    return " ".join(f"{label}:{i}-{j}" for i, j, label in sorted(answer.best[1]))


def test_every_style_is_an_engine_of_its_own_name() -> None:
    styles = open_folder(english.STYLED).manifest["styles"]
    assert sorted(styles) == sorted(registry.STYLES)
    for style in styles:
        assert registry.load(f"english-{style}").info.name == f"english-{style}"


def test_craft_marks_compounds_that_gum_and_genia_leave_flat() -> None:
    text = "The bread bag clips were old ."
    assert "NML:1-3" in bracketing("craft", text)
    assert "NML:1-3" not in bracketing("gum", text)
    assert "NML:1-3" not in bracketing("genia", text)


def test_the_treebank_says_what_a_relative_pronoun_is() -> None:
    text = "The man who came was old ."
    assert "WHNP:2-3" in bracketing("craft", text)
    assert "WHNP:2-3" not in bracketing("gum", text)


def test_no_convention_is_written_by_hand() -> None:
    assert open_folder(english.STYLED).manifest["conventions"] == []


def test_the_styles_share_their_weights() -> None:
    parser = english.styled("craft")
    other = english.styled("gum")
    for one in (parser, other):
        one.analyse([Sentence.of("She slept .")], want=PLAIN)
    assert parser.model._session is other.model._session  # type: ignore[attr-defined]


def test_a_style_that_there_is_not_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidValue, match="has no style 'brown'; it has craft"):
        english.styled("brown")


def test_the_default_writes_like_gum_and_the_first_model_is_still_there() -> None:
    assert registry.DEFAULT == "english-gum"
    assert open_folder(english.STYLED).manifest["style"] == "gum"
    assert registry.load("english").info.version == "1.2"
    digest = hashlib.sha256((english.MODEL / "model.onnx").read_bytes()).hexdigest()
    assert digest.startswith("93409ede9b16d445")


def test_what_was_fitted_on_vectors_knows_those_of_the_default_parser() -> None:
    info = registry.load(registry.DEFAULT).info
    named = f"{info.name} {info.version}"
    assert TrainedWordAligner.load().knows(info)
    assert PhraseAligner.load().facts["vectors"] == named
    for task in ("paraphrase", "entailment"):
        assert shipped(task, context=True)["vectors"] == named


@pytest.mark.parametrize("name", ["english", *registry.SHIPPED])
def test_words_are_linked_with_the_vectors_of_every_shipped_parser(name: str) -> None:
    assert TrainedWordAligner.load().knows(registry.load(name).info)
