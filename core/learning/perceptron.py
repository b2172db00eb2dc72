"""Fitting a perceptron of one hidden layer by Adam."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import InvalidValue
from core.scoring.perceptron import Perceptron

__all__ = ["FitSettings", "fit_perceptron"]

Singles = NDArray[np.float32]
BETAS = 0.9, 0.99


@dataclass(frozen=True, slots=True)
class FitSettings:
    """``width`` hidden units; ``decay``: of the weights, a step, times the rate."""

    width: int = 32
    epochs: int = 12
    batch: int = 1024
    rate: float = 4e-3
    decay: float = 0.05


def fit_perceptron(
    rows: Floats,
    positive: NDArray[np.bool_],
    settings: FitSettings,
    *,
    weights: Singles | None = None,
    seed: int = 0,
) -> Perceptron:
    """Least log-loss, each row counted ``weights`` times, by Adam (Kingma & Ba 2015)
    with decoupled decay and a rate that falls to nothing along a cosine.

    Same numbers, same seed, same result. Raises InvalidValue if a class is missing.
    """
    if positive.all() or not positive.any() or len(rows) != len(positive):
        raise InvalidValue("both classes are needed to fit, one row of numbers each")
    means, scales = rows.mean(0, dtype=np.float64), rows.std(0, dtype=np.float64)
    scales[scales < 1e-6] = 1.0
    x = ((rows - means) / scales).astype(np.float32)
    y = positive.astype(np.float32)
    counts = np.ones(len(y), np.float32) if weights is None else weights
    rng = np.random.default_rng(seed)
    net = _Net(x.shape[1], settings, rng)
    n_steps = settings.epochs * -(-len(y) // settings.batch)
    step = 0
    for _ in range(settings.epochs):
        order = rng.permutation(len(y))
        for at in range(0, len(y), settings.batch):
            some = order[at : at + settings.batch]
            rate = settings.rate * 0.5 * (1 + np.cos(np.pi * step / n_steps))
            step += 1
            net.learn(x[some], y[some], counts[some], rate, step)
    hidden, out = (w.astype(np.float64) for w in net.weights)
    return Perceptron(means, scales, hidden, out)


class _Net:
    """Weights and their moments."""

    def __init__(
        self, n_in: int, settings: FitSettings, rng: np.random.Generator
    ) -> None:
        width = settings.width
        hidden = rng.normal(0, np.sqrt(2 / n_in), (n_in + 1, width))
        out = rng.normal(0, np.sqrt(1 / width), width + 1)
        hidden[-1] = out[-1] = 0
        self.weights = [hidden.astype(np.float32), out.astype(np.float32)]
        self.moments = [(np.zeros_like(w), np.zeros_like(w)) for w in self.weights]
        self.decay = settings.decay

    def learn(
        self, x: Singles, y: Singles, counts: Singles, rate: float, step: int
    ) -> None:
        hidden, out = self.weights
        inner = np.maximum(x @ hidden[:-1] + hidden[-1], 0)
        nats = np.clip(inner @ out[:-1] + out[-1], -30, 30)
        slope = counts * (1 / (1 + np.exp(-nats)) - y) / len(y)
        to_out = np.append(slope @ inner, slope.sum())
        back = np.outer(slope, out[:-1]) * (inner > 0)
        to_hidden = np.vstack([x.T @ back, back.sum(0)])
        for w, gradient, (m, v) in zip(
            self.weights, (to_hidden, to_out), self.moments, strict=True
        ):
            m += (1 - BETAS[0]) * (gradient - m)
            v += (1 - BETAS[1]) * (gradient**2 - v)
            sized = m / (1 - BETAS[0] ** step)
            spread = np.sqrt(v / (1 - BETAS[1] ** step)) + 1e-8
            w -= rate * (sized / spread + self.decay * w)
