"""The training loop: resumable, seeded, its curves logged as JSON lines."""

import json
import math
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lab.training.batches import Batcher
from lab.training.corpus import TrainingSentence
from lab.training.losses import losses
from lab.training.model import Parser
from lab.training.schedule import Averaged, Schedule


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is made of, apart from its data."""

    seed: int = 1
    encoder_rate: float = 2e-4
    head_rate: float = 1.5e-3
    weight_decay: float = 0.01
    clip: float = 2.0
    smoothing: float = 0.03
    average: float = 0.99  # per 4 steps
    bf16: bool = True
    device: str = "cpu"
    log_every: int = 20
    checkpoint_every: int = 200
    weights: dict[str, float] = field(default_factory=dict)


class Trainer:
    """One run in the folder ``out``: checkpoint.pt, curves.jsonl."""

    def __init__(
        self,
        parser: Parser,
        batcher: Batcher,
        schedule: Schedule,
        settings: Settings,
        out: Path,
    ) -> None:
        self.parser, self.batcher, self.schedule = parser, batcher, schedule
        self.settings, self.out = settings, out
        groups = parser.groups(
            encoder=settings.encoder_rate,
            heads=settings.head_rate,
            decay=settings.weight_decay,
        )
        self.optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=True)
        self.average = Averaged(self._trained(), decay=settings.average)
        self.epoch, self.place, self.step = 0, 0, 0
        self._stop = False
        self._sums: dict[str, float] = {}
        self._since_log = 0

    def _trained(self) -> Iterator[tuple[str, Tensor]]:
        for name, value in self.parser.named_parameters():
            if value.requires_grad:
                yield name, value

    def run(
        self,
        examples: Sequence[TrainingSentence],
        *,
        evaluate: Callable[[], dict[str, float]],
    ) -> None:
        """Train to the end of the schedule or until SIGTERM, then write a checkpoint.

        ``evaluate`` is called after each epoch with the averaged weights in place.
        """
        signal.signal(signal.SIGTERM, self._ask_to_stop)
        self.schedule.start()
        done = False
        while not (done or self._stop):
            done = self._epoch(examples)
            if not self._stop:
                if not done:
                    self.epoch, self.place = self.epoch + 1, 0
                with self.averaged_weights():
                    self._log({"dev": evaluate()})
            self.save()

    def _epoch(self, examples: Sequence[TrainingSentence]) -> bool:
        """Do one pass from ``place`` on; return True if the schedule ended in it."""
        rng = np.random.default_rng([self.settings.seed, self.epoch])
        total = sum(len(e.words) for e in examples)
        words = 0
        for number, batch in enumerate(self.batcher.epoch(examples, rng)):
            done = words / total
            words += int(batch["lengths"].sum())
            if number < self.place:
                continue
            progress = self.schedule.progress(self.epoch + done)
            if progress >= 1 or self._stop:
                return progress >= 1
            torch.manual_seed(self.settings.seed * 1_000_003 + self.step)
            for name, value in self._learn(batch, progress).items():
                self._sums[name] = self._sums.get(name, 0.0) + value
            self.place, self.step = number + 1, self.step + 1
            self._since_log += 1
            if self._since_log == self.settings.log_every:
                self._log_losses(progress)
            if self.step % self.settings.checkpoint_every == 0:
                self.save()
        return self.schedule.progress(self.epoch + 1) >= 1

    def _learn(self, batch: dict[str, Tensor], progress: float) -> dict[str, float]:
        """Do one step; return the terms of its loss."""
        settings = self.settings
        rate = self.schedule.rate(progress)
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * rate
        self.parser.train()
        kind = settings.device.split(":")[0]
        with torch.autocast(kind, torch.bfloat16, enabled=settings.bf16):
            scores = self.parser(batch)
        terms = losses(scores, batch, smoothing=settings.smoothing)
        loss = torch.stack(
            [term * settings.weights.get(name, 1.0) for name, term in terms.items()]
        ).sum()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.parser.parameters(), settings.clip)
        if math.isfinite(float(norm)):
            self.optimizer.step()
        if self.step % 4 == 0:
            self.average.update(self._trained())
        return {name: float(term.detach()) for name, term in terms.items()}

    def averaged_weights(self) -> "_Swapped":
        """Give the parser its averaged weights in eval mode, within a context."""
        return _Swapped(self.parser, self.average.values)

    def save(self) -> None:
        """Write the checkpoint whole, or not at all."""
        state = {
            "parser": self.parser.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "average": self.average.state(),
            "epoch": self.epoch,
            "place": self.place,
            "step": self.step,
            "seconds": self.schedule.seconds,
        }
        fresh = self.out / "checkpoint.tmp"
        torch.save(state, fresh)
        fresh.replace(self.out / "checkpoint.pt")

    def resume(self) -> bool:
        """Resume from the checkpoint in ``out``; return False if there is none."""
        path = self.out / "checkpoint.pt"
        if not path.is_file():
            return False
        state = torch.load(path, map_location=self.settings.device, weights_only=True)
        self.parser.load_state_dict(state["parser"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.average.restore(state["average"])
        self.epoch, self.place = state["epoch"], state["place"]
        self.step = state["step"]
        self.schedule.spent = state["seconds"]
        return True

    def _log_losses(self, progress: float) -> None:
        """Log the means since the last time."""
        loss = {name: value / self._since_log for name, value in self._sums.items()}
        self._log({"progress": round(progress, 4), "loss": loss})
        self._sums, self._since_log = {}, 0

    def _log(self, row: dict[str, Any]) -> None:
        seconds = round(self.schedule.seconds, 1)
        head = {"step": self.step, "epoch": self.epoch, "seconds": seconds}
        with (self.out / "curves.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({**head, **row}) + "\n")

    def _ask_to_stop(self, *_: object) -> None:
        self._stop = True


class _Swapped:
    def __init__(self, parser: Parser, values: dict[str, Tensor]) -> None:
        self._parser, self._values = parser, values

    def __enter__(self) -> Parser:
        self._kept = {
            name: value.detach().clone()
            for name, value in self._parser.named_parameters()
            if name in self._values
        }
        self._take(self._values)
        self._parser.eval()
        return self._parser

    def __exit__(self, *_: object) -> None:
        self._take(self._kept)

    def _take(self, values: dict[str, Tensor]) -> None:
        with torch.no_grad():
            for name, value in values.items():
                self._parser.get_parameter(name).copy_(value)
