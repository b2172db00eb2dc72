"""What is registered, and that each of it keeps the contract."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.backends import registry
from core.backends.conformance import violations
from core.backends.nltk_chart import GRAMMAR, NltkChartParser
from core.data.tokens import Sentence
from core.errors import InvalidValue, Unavailable
from core.inference.inside import inside
from core.inference.kbest import k_best
from core.protocols import Analysis, Capability, ParserBackend
from core.semiring import COUNT

SENTENCES = [
    Sentence.of("she slept"),
    Sentence.of("the old woman saw a dog with the telescope near the garden ."),
    Sentence.of("Mary thought that John left ."),
]
EVERYTHING: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})


def test_these_parsers_come_with_gemel() -> None:
    assert registry.names() == ("english", "nltk-chart")


@pytest.mark.parametrize("name", registry.names())
def test_every_registered_parser_keeps_the_contract(name: str) -> None:
    assert violations(registry.load(name), SENTENCES) == []


def test_a_parser_is_loaded_once() -> None:
    assert registry.load("nltk-chart") is registry.load("nltk-chart")


def test_an_unknown_parser_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="known: english, nltk-chart"):
        registry.load("klingon", tmp_path)


def test_model_folders_are_found_by_their_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "manifest.json").write_text("{}")
    (tmp_path / "other").mkdir()
    assert registry.names(tmp_path) == ("english", "mine", "nltk-chart")
    with pytest.raises(Unavailable, match="format"):
        registry.load("mine", tmp_path)


class _Broken:
    """Answers in another order, and says what it cannot do."""

    def __init__(self, backend: ParserBackend) -> None:
        self._backend = backend
        capabilities = backend.info.capabilities | {"dependencies"}
        self.info = dataclasses.replace(backend.info, capabilities=capabilities)

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        return self._backend.analyse(sentences[::-1], want=want)


class _Weightless(_Broken):
    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        answers = self._backend.analyse(sentences, want=want)
        return [
            dataclasses.replace(a, edge_weights=np.empty(0))
            if isinstance(a, Analysis)
            else a
            for a in answers
        ]


@pytest.mark.parametrize(
    ("wrapper", "complaint"),
    [(_Broken, "order"), (_Broken, "'dependencies'"), (_Weightless, "edge_weights")],
)
def test_the_contract_notices_what_is_broken(
    wrapper: Callable[[ParserBackend], ParserBackend], complaint: str
) -> None:
    found = violations(wrapper(registry.load("nltk-chart")), SENTENCES[:2])
    assert any(complaint in text for text in found)


def _chart(text: str) -> Analysis:
    (answer,) = NltkChartParser(GRAMMAR).analyse([Sentence.of(text)], want=EVERYTHING)
    assert isinstance(answer, Analysis)
    return answer


def test_nltk_forest_holds_all_parses_with_their_probabilities() -> None:
    answer = _chart("Mary saw the man with the telescope")
    assert answer.forest is not None
    assert answer.edge_weights is not None
    assert inside(answer.forest, answer.edge_weights, COUNT)[-1] == 3
    best, *_ = k_best(answer.forest, answer.edge_weights, 9)
    pp = 0.4 * (0.4 * 0.1) * 0.4  # IN -> with; NP -> DT NN -> the telescope
    verb = 0.2 * 0.3 * (0.4 * 0.5 * 0.15)  # VP -> VBD NP PP
    assert best[0] == pytest.approx(np.log(0.7 * 0.1 * 0.5 * verb * pp * 0.5 / 0.4))


def test_a_word_foreign_to_the_grammar_means_no_parse() -> None:
    answer = _chart("Mary saw the zeppelin")
    assert answer.forest is not None
    assert answer.forest.n_nodes == 0
    assert answer.xpos == ("X",) * 4


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        ("S -> A [1.0]\nA -> S [0.5] | 'a' [0.5]", InvalidValue, "unary"),
        ("S -> 'a' [0.4]", InvalidValue, "no grammar"),
        (None, Unavailable, "No such file"),
    ],
)
def test_a_grammar_that_is_none_is_refused(
    tmp_path: Path, text: str | None, error: type[Exception], reason: str
) -> None:
    path = tmp_path / "g.pcfg"
    if text is not None:
        path.write_text(text)
    with pytest.raises(error, match=reason):
        NltkChartParser(path).analyse([Sentence.of("a")], want=EVERYTHING)
