"""What is registered, and that each of it keeps the contract."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.data.tokens import Sentence
from core.errors import Unavailable
from core.parsing import registry
from core.parsing.conformance import violations
from core.protocols import Analysis, Capability, ParserBackend
from tests import small_pcfg

SENTENCES = [
    Sentence.of("she slept"),
    Sentence.of("the old woman saw a dog with the telescope near the garden ."),
    Sentence.of("Mary thought that John left ."),
]
SHIPPED = (
    "english",
    "english-craft",
    "english-ewt",
    "english-genia",
    "english-gum",
    "english-ptb",
)
EVERYTHING: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})


def test_these_parsers_come_with_gemel() -> None:
    assert registry.names() == SHIPPED


@pytest.mark.parametrize("name", registry.names())
def test_every_registered_parser_keeps_the_contract(name: str) -> None:
    assert violations(registry.load(name), SENTENCES) == []


def test_a_parser_is_loaded_once() -> None:
    assert registry.load("english") is registry.load("english")


def test_an_unknown_parser_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="known: " + ", ".join(SHIPPED)):
        registry.load("klingon", tmp_path)


def test_a_parser_of_before_is_refused_with_what_became_of_it(tmp_path: Path) -> None:
    with pytest.raises(
        Unavailable, match=r"no longer part of Gemel; the trees .* stay"
    ):
        registry.load("nltk-chart", tmp_path)


def test_model_folders_are_found_by_their_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "manifest.json").write_text("{}")
    (tmp_path / "other").mkdir()
    assert registry.names(tmp_path) == (*SHIPPED, "mine")
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
    wrapper: Callable[[ParserBackend], ParserBackend], complaint: str, tmp_path: Path
) -> None:
    small = registry.at(small_pcfg.written(tmp_path / "small"))
    complaints = violations(wrapper(small), SENTENCES[:2])
    assert any(complaint in text for text in complaints)
