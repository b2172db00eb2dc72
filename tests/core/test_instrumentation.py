"""What models tell whoever listens."""

from collections.abc import Iterator

import pytest

from core import instrumentation
from core.data.tokens import Sentence
from core.instrumentation import ModelCall, timed
from core.parsing import registry
from core.phrase_alignment.aligner import PhraseAligner, side_of
from core.protocols import Analysis
from core.word_alignment.aligner import TrainedWordAligner


@pytest.fixture
def told() -> Iterator[list[ModelCall]]:
    calls: list[ModelCall] = []
    instrumentation.listen(calls.append)
    yield calls
    instrumentation.listeners.remove(calls.append)


def test_a_call_is_told_once_it_is_over(told: list[ModelCall]) -> None:
    with timed("m", "decoding", sentences=3):
        assert told == []
    (call,) = told
    assert (call.model, call.task, call.sentences) == ("m", "decoding", 3)
    assert call.seconds > 0


def test_a_call_that_raises_is_told_too(told: list[ModelCall]) -> None:
    with pytest.raises(ZeroDivisionError), timed("m", "encoding", sentences=1):
        raise ZeroDivisionError
    assert len(told) == 1


def test_who_listens_twice_is_told_once(told: list[ModelCall]) -> None:
    instrumentation.listen(told.append)
    with timed("m", "encoding", sentences=1):
        pass
    assert len(told) == 1


def test_who_listens_no_more_is_told_nothing() -> None:
    calls: list[ModelCall] = []
    instrumentation.listen(calls.append)
    instrumentation.listeners.remove(calls.append)
    with timed("m", "encoding", sentences=1):
        pass
    assert calls == []


def test_parser_and_aligners_tell_what_they_did(told: list[ModelCall]) -> None:
    backend = registry.load(registry.DEFAULT)
    sentences = [Sentence.of("The door opens ."), Sentence.of("It is open .")]
    answers = backend.analyse(sentences, want=backend.info.capabilities)
    source, target = (one for one in answers if isinstance(one, Analysis))
    TrainedWordAligner.load().align(source, target)
    PhraseAligner.load().align(side_of(source), side_of(target))
    n = {(one.model, one.task): 0 for one in told}
    for one in told:
        n[one.model, one.task] += one.sentences
    assert n == {
        (backend.info.name, "encoding"): 2,
        (backend.info.name, "decoding"): 2,
        ("word-aligner", "word alignment"): 2,
        ("forest-aligner", "phrase alignment"): 2,
    }
    assert all(one.seconds > 0 for one in told)
