"""From treebanks to a model folder: what ``train`` and ``export`` do."""

import json
import logging
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from core.errors import InvalidValue
from core.evaluation.golds import Gold, read_golds
from core.parsing.neural import NeuralParser
from core.parsing.store import sha256_of, write_manifest
from core.text.subwords import Subwords, plain_form
from core.training import export, picture
from core.training.batches import Batcher, inventory_of
from core.training.calibrate import reliability, temperatures
from core.training.corpus import (
    TrainingSentence,
    TreebankSource,
    merge,
    read_conllu,
    read_ptb,
)
from core.training.encoder import EncoderShape
from core.training.evaluate import (
    TorchModel,
    backend_of,
    capabilities,
    scores_of,
    style_quality,
)
from core.training.loop import Settings, Trainer
from core.training.model import Inventory, Parser
from core.training.schedule import Schedule

__all__ = ["Card", "Data", "TrainingOptions", "export_folder", "read_data", "train"]

log = logging.getLogger("core.training")
ABOUT = "run.json"  # the command and the amount of data, for the manifest


@dataclass(frozen=True, slots=True)
class Card:
    """What the manifest says of the model beside its files and scores."""

    name: str
    version: str
    languages: tuple[str, ...] = ("en",)
    licence: str = ""
    note: str = ""
    conventions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """A run. ``encoder``: a folder with model.safetensors, config.json, tokenizer.json;
    with a ``shape`` only the last is read, and the encoder starts from nothing."""

    out: Path
    encoder: Path
    card: Card
    settings: Settings = field(default_factory=Settings)
    shape: EncoderShape | None = None
    epochs: float | None = None
    minutes: float | None = None
    batch: int = 1200
    max_words: int = 120
    style: str | None = None


@dataclass(frozen=True, slots=True)
class Data:
    """Training examples, gold sentences to choose and calibrate by, by name, and
    examples of two sentences each."""

    train: list[TrainingSentence]
    dev: dict[str, list[Gold]]
    pairs: list[TrainingSentence] = field(default_factory=list)

    def facts(self) -> dict[str, dict[str, int]]:
        """How much there is of each training treebank."""
        names = sorted({example.treebank for example in self.train})
        return {name: self._counts(name) for name in names}

    def _counts(self, name: str) -> dict[str, int]:
        own = [example for example in self.train if example.treebank == name]
        return {
            "sentences": len(own),
            "words": sum(len(e.words) for e in own),
            "with_dependencies": sum(e.heads is not None for e in own),
            "with_trees": sum(e.spans is not None for e in own),
            "pairs": sum(pair.treebank == name for pair in self.pairs),
        }


def read_data(
    conllu: list[TreebankSource],
    trees: list[TreebankSource],
    dev_conllu: list[TreebankSource],
    dev_trees: list[TreebankSource],
    *,
    skip: str,
    max_words: int,
) -> Data:
    """The treebanks; ``skip`` is a pattern of training file names to leave out.

    Training sentences of more than ``max_words`` words, and those of more than three
    that a dev set holds too, are dropped. Raises FormatError naming file and line.
    """
    paths: dict[str, list[Path]] = {}
    for source in (*dev_conllu, *dev_trees):
        paths.setdefault(source.name, []).append(source.path)
    dev = {name: _golds(paths[name]) for name in sorted(paths)}
    examples = _read(conllu, trees, re.compile(skip) if skip else None)
    held_out = {
        forms
        for golds in dev.values()
        for gold in golds
        if len(forms := _plain(gold.sentence.forms)) > 3
    }
    short = (e for e in examples if len(e.words) <= max_words)
    kept = [e for e in short if _plain(e.words) not in held_out]
    return Data(kept, dev)


def _golds(paths: list[Path]) -> list[Gold]:
    golds, bad = read_golds(paths)
    for line in bad:
        log.warning("left out: %s", line)
    return golds


def _plain(forms: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(plain_form, forms))


def train(options: TrainingOptions, data: Data) -> Path:
    """Train, or go on where the run in ``options.out`` stopped; then export.

    Returns the model folder. A run stopped by SIGTERM exports its last state too.
    """
    if not data.train:
        raise InvalidValue("no sentence to train on: give --conllu or --ptb")
    options.out.mkdir(parents=True, exist_ok=True)
    inventory = inventory_of(data.train)
    text = json.dumps(inventory.to_json(), indent=1)
    (options.out / "labels.json").write_text(text, encoding="utf-8")
    for name, counts in data.facts().items():
        log.info("%s: %s", name, counts)
    about = {"command": _command(sys.argv[1:]), "data": data.facts()}
    (options.out / ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")
    trainer = _trainer(options, inventory)
    if trainer.resume():
        log.info("going on from step %d", trainer.step)

    def dev_scores() -> dict[str, float]:
        figures: dict[str, float] = {}
        for name, golds in data.dev.items():
            style = name if name in inventory.treebanks else ""
            model = TorchModel(trainer.parser, trainer.batcher.subwords, style)
            scores = scores_of(backend_of(model), golds)
            figures |= {f"{name}.{key}": value for key, value in scores.items()}
        log.info("epoch %d, step %d: %s", trainer.epoch, trainer.step, figures)
        return figures

    trainer.run([*data.train, *data.pairs], evaluate=dev_scores)
    return export_folder(options, data)


def export_folder(options: TrainingOptions, data: Data) -> Path:
    """The run's averaged weights as a model folder, ``options.out/model``.

    The annotation style and the temperatures are those that suit the dev sets of the
    training treebanks best. float32 and int8 are both scored; int8 is kept unless it
    costs more than a point of LAS or F1 on some dev set.
    """
    labels = json.loads((options.out / "labels.json").read_text(encoding="utf-8"))
    inventory = Inventory(**{key: tuple(names) for key, names in labels.items()})
    trainer = _trainer(options, inventory)
    if not trainer.resume():
        raise InvalidValue(f"{options.out}: no checkpoint to export; train first")
    folder = options.out / "model"
    with trainer.averaged_weights() as parser:
        known = {k: v for k, v in data.dev.items() if k in inventory.treebanks}
        style = options.style
        if style is None:
            style = _best_style(parser, trainer.batcher.subwords, known)
        golds = [gold for dev in known.values() for gold in dev[:1500]]
        model = TorchModel(parser, trainer.batcher.subwords, style)
        divisors = temperatures(model, golds) if golds else {}
        parser.cpu()
        export.write_float(parser, style, options.out / "float.onnx")
        export.write_int8(options.out / "float.onnx", options.out / "int8.onnx")
        folder.mkdir(exist_ok=True)
        export.copy_vocabulary(parser, options.encoder / "tokenizer.json", folder)
    facts = _facts(options, inventory, trainer, style, divisors)
    return _written(options, data, folder, facts)


def _written(
    options: TrainingOptions, data: Data, folder: Path, facts: dict[str, Any]
) -> Path:
    """Score both graphs, keep one, and write the manifest and the pictures."""
    scores: dict[str, dict[str, Any]] = {}
    for kind in ("float", "int8"):
        shutil.copyfile(options.out / f"{kind}.onnx", folder / "model.onnx")
        write_manifest(folder, facts)
        parser = NeuralParser(folder)
        scores[kind] = {
            name: scores_of(parser, golds, oracle=kind == "int8")
            for name, golds in data.dev.items()
        }
        log.info("%s: %s", kind, scores[kind])
    kept = "int8" if _close(scores["int8"], scores["float"]) else "float"
    shutil.copyfile(options.out / f"{kept}.onnx", folder / "model.onnx")
    write_manifest(folder, facts)
    parser = NeuralParser(folder)
    plots = {
        f"{name} {kind}": plot
        for name, golds in data.dev.items()
        for kind, plot in reliability(parser, golds).items()
    }
    errors = {title: plot.error for title, plot in plots.items()}
    facts |= {"precision": kept, "scores": scores, "calibration_error": errors}
    write_manifest(folder, facts)
    plot = picture.reliability_plot(plots)
    (options.out / "reliability.svg").write_text(plot, encoding="utf-8")
    curves = picture.curves(options.out / "curves.jsonl")
    (options.out / "curves.svg").write_text(curves, encoding="utf-8")
    return folder


def _trainer(options: TrainingOptions, inventory: Inventory) -> Trainer:
    settings = options.settings
    torch.manual_seed(settings.seed)
    shape = options.shape or EncoderShape.read(options.encoder / "config.json")
    parser = Parser(shape, inventory)
    if options.shape is None:
        parser.encoder.read(options.encoder / "model.safetensors")
        parser.encoder.pieces.weight.requires_grad = False
    parser.to(settings.device)
    subwords = Subwords(options.encoder / "tokenizer.json")
    batcher = Batcher(subwords, inventory, size=options.batch, device=settings.device)
    schedule = Schedule(options.epochs, options.minutes)
    return Trainer(parser, batcher, schedule, settings, options.out)


def _read(
    conllu: list[TreebankSource],
    trees: list[TreebankSource],
    skip: re.Pattern[str] | None,
) -> list[TrainingSentence]:
    examples = [e for source in conllu for e in read_conllu(source, skip=skip)]
    return merge(
        examples + [e for source in trees for e in read_ptb(source, skip=skip)]
    )


def _best_style(parser: Parser, subwords: Subwords, dev: dict[str, list[Gold]]) -> str:
    """The treebank whose style scores best on all dev sets together."""
    names = parser.inventory.treebanks
    if not dev or len(names) == 1:
        return names[0]
    quality = {
        name: style_quality(TorchModel(parser, subwords, name), dev) for name in names
    }
    log.info("styles: %s", quality)
    return max(names, key=quality.__getitem__)


def _close(ours: dict[str, dict[str, Any]], theirs: dict[str, dict[str, Any]]) -> bool:
    return all(
        theirs[name].get(key, 0.0) - ours[name].get(key, 0.0) <= 1.0
        for name in theirs
        for key in ("las", "f1")
    )


def _facts(
    options: TrainingOptions,
    inventory: Inventory,
    trainer: Trainer,
    style: str,
    divisors: dict[str, float],
) -> dict[str, Any]:
    weights = options.encoder / "model.safetensors"
    about = json.loads((options.out / ABOUT).read_text(encoding="utf-8"))
    can = capabilities(inventory.to_json())
    if any(counts["pairs"] for counts in about["data"].values()):
        can |= {"pairs"}
    return {
        **asdict(options.card),
        "capabilities": sorted(can),
        "max_tokens": 200,
        "style": style,
        "temperatures": divisors,
        "data": about["data"],
        "encoder_sha256": sha256_of(weights) if weights.is_file() else "",
        "training": {
            "command": about["command"],
            "steps": trainer.step,
            "epochs": trainer.epoch,
            "minutes": round(trainer.schedule.seconds / 60, 1),
            "batch": options.batch,
            "settings": asdict(options.settings),
            "versions": {
                name: version(name) for name in ("torch", "onnx", "onnxruntime")
            },
        },
    }


def _command(arguments: Sequence[str]) -> str:
    """The command as it was given, but for the folders, which are nobody's business."""
    bare = [re.sub(r"(^|=)[^=\s]*/(?=[^/\s])", r"\1", word) for word in arguments]
    return shlex.join(["python", "-m", "core.training", *bare])
