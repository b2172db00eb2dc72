"""How far a run has come, and the learning rate and weight averaging that follow."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.errors import InvalidValue


@dataclass(slots=True)
class Schedule:
    """Ends after ``epochs`` or ``minutes`` of training, whichever was asked for.

    A run cut short goes on with another end: the rate follows the share that is done.
    Raises InvalidValue without either.
    """

    epochs: float | None
    minutes: float | None
    warm_up: float = 0.04
    spent: float = 0.0  # seconds, over all runs
    _since: float = 0.0

    def __post_init__(self) -> None:
        if not (self.epochs or self.minutes):
            raise InvalidValue("no end to train to: give --epochs or --minutes")

    def start(self) -> None:
        self._since = time.monotonic()

    @property
    def seconds(self) -> float:
        return self.spent + (time.monotonic() - self._since if self._since else 0.0)

    def progress(self, epoch: float) -> float:
        """Return the progress from 0 to 1; ``epoch``: passes over the data so far."""
        by_time = self.seconds / (60 * self.minutes) if self.minutes else 0.0
        by_epoch = epoch / self.epochs if self.epochs else 0.0
        return min(1.0, max(by_time, by_epoch))

    def rate(self, progress: float) -> float:
        """Return the rate: linear up to the peak (1), then linear down to 0."""
        if progress < self.warm_up:
            return max(0.02, progress / self.warm_up)
        return max(0.0, (1 - progress) / (1 - self.warm_up))


class Averaged:
    """Exponential moving average of weights, updated every few steps."""

    def __init__(self, named: Iterable[tuple[str, Tensor]], *, decay: float) -> None:
        self._decay = decay
        self._n = 0
        self.values = {name: value.detach().clone() for name, value in named}

    def update(self, named: Iterable[tuple[str, Tensor]]) -> None:
        """Move towards the weights; the first steps count more (bias correction)."""
        self._n += 1
        decay = min(self._decay, self._n / (self._n + 10))
        with torch.no_grad():
            for name, value in named:
                self.values[name].lerp_(value.detach(), 1 - decay)

    def state(self) -> dict[str, Any]:
        return {"n": self._n, "values": self.values}

    def restore(self, state: dict[str, Any]) -> None:
        self._n = state["n"]
        self.values = state["values"]
