"""How long models work, reported to listeners; nothing is measured without one.

Listeners such as counters are the server's concern.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

ModelTask = Literal["encoding", "decoding", "phrase alignment", "word alignment"]
"""Encoding: from sentences to scores, by a network; decoding: from scores, or from a
grammar, to trees."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model: ``seconds`` of one thread, over this many sentences (a pair
    has two). ``model``: the name in its ``BackendInfo``, or its ``ENGINE``."""

    model: str
    task: ModelTask
    seconds: float
    sentences: int


Listener = Callable[[ModelCall], None]
listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Have it called after each call of a model, in the thread that made the call and
    waits for it. It must not raise. Who listens already is not called twice."""
    if listener not in listeners:
        listeners.append(listener)


@contextmanager
def timed(model: str, task: ModelTask, *, sentences: int) -> Iterator[None]:
    """Measure what is done within, also where it raises."""
    if not listeners:
        yield
        return
    began = time.perf_counter()
    try:
        yield
    finally:
        call = ModelCall(model, task, time.perf_counter() - began, sentences)
        for listener in tuple(listeners):
            listener(call)
