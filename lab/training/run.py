"""From treebanks to a model folder: what ``train`` and ``export`` do."""

import csv
import json
import logging
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
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
from lab.training import export, picture
from lab.training.batches import Batcher, inventory_of
from lab.training.calibrate import reliability, temperatures
from lab.training.corpus import (
    TrainingSentence,
    TreebankSource,
    merge,
    read_conllu,
    read_ptb,
)
from lab.training.encoder import EncoderShape
from lab.training.evaluate import (
    TorchModel,
    backend_of,
    capabilities,
    scores_of,
)
from lab.training.loop import Settings, Trainer
from lab.training.model import Inventory, Parser
from lab.training.schedule import Schedule
from lab.training.start import start_from
from lab.training.styling import MOST, styles_of, written_like

log = logging.getLogger("lab.training")
ABOUT = "run.json"  # the command and the amount of data, for the manifest


@dataclass(frozen=True, slots=True)
class Card:
    """What the manifest says of the model next to its files and scores."""

    name: str
    version: str
    languages: tuple[str, ...] = ("en",)
    licence: str = ""
    note: str = ""
    conventions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """A run. ``encoder``: a folder with model.safetensors, config.json, tokenizer.json;
    with a ``shape`` only the last is read, and the encoder starts from nothing.
    ``start``: a model folder to go on from, ``like``: what its new treebanks start as;
    ``watch``: how many sentences of each dev set are scored after a pass; ``styles``:
    what the caller of the model may choose from, and the treebank of each."""

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
    start: Path | None = None
    like: dict[str, str] = field(default_factory=dict)
    watch: int | None = None
    styles: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Data:
    """Training examples, and gold sentences to choose and calibrate by, by name."""

    train: list[TrainingSentence]
    dev: dict[str, list[Gold]]

    def facts(self) -> dict[str, dict[str, int]]:
        """Return the size of each training treebank."""
        names = sorted({example.treebank for example in self.train})
        return {name: self._counts(name) for name in names}

    def _counts(self, name: str) -> dict[str, int]:
        own = [example for example in self.train if example.treebank == name]
        return {
            "sentences": len(own),
            "words": sum(len(e.words) for e in own),
            "with_dependencies": sum(e.heads is not None for e in own),
            "with_trees": sum(e.spans is not None for e in own),
        }


def read_data(
    conllu: list[TreebankSource],
    trees: list[TreebankSource],
    dev_conllu: list[TreebankSource],
    dev_trees: list[TreebankSource],
    *,
    skip: str,
    max_words: int,
    held_out: Sequence[Path] = (),
    repeat: Mapping[str, int] | None = None,
) -> Data:
    """Read the treebanks; ``skip`` is a pattern of training file names to leave out.

    Training sentences of more than ``max_words`` words, and those of more than three
    that a dev set or a file ``held_out`` holds too, are dropped; the rest of a treebank
    is seen ``repeat`` times a pass. Raises FormatError naming file and line.
    """
    paths: dict[str, list[Path]] = {}
    for source in (*dev_conllu, *dev_trees):
        paths.setdefault(source.name, []).append(source.path)
    dev = {name: _golds(paths[name]) for name in sorted(paths)}
    examples = _read(conllu, trees, re.compile(skip) if skip else None)
    golds = [gold for some in dev.values() for gold in some]
    known = {_plain(gold.sentence.forms) for gold in golds}
    known |= {_plain(words) for path in held_out for words in _sources(path)}
    short = (e for e in examples if len(e.words) <= max_words)
    kept = [e for e in short if len(e.words) <= 3 or _plain(e.words) not in known]
    times = repeat or {}
    return Data([e for e in kept for _ in range(times.get(e.treebank, 1))], dev)


def _sources(path: Path) -> Iterator[list[str]]:
    """Yield the sentences of a gold file, or of the column "source" of a table."""
    if path.suffix != ".tsv":
        yield from ([*gold.sentence.forms] for gold in _golds([path]))
        return
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row["source"].split(" ")


def _golds(paths: list[Path]) -> list[Gold]:
    golds, bad = read_golds(paths)
    for line in bad:
        log.warning("left out: %s", line)
    return golds


def _plain(forms: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(plain_form, forms))


def train(options: TrainingOptions, data: Data) -> Path:
    """Train, or continue where the run in ``options.out`` stopped; then export.

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
            scores = scores_of(backend_of(model), golds[: options.watch])
            figures |= {f"{name}.{key}": value for key, value in scores.items()}
        log.info("epoch %d, step %d: %s", trainer.epoch, trainer.step, figures)
        return figures

    trainer.run(data.train, evaluate=dev_scores)
    return export_folder(options, data)


def export_folder(options: TrainingOptions, data: Data) -> Path:
    """Write the run's averaged weights as a model folder, ``options.out/model``.

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
        given = parser, trainer.batcher.subwords
        treebank = written_like(
            *given, known, style=options.style, styles=options.styles
        )
        own = {k: v for k, v in known.items() if k == treebank or not options.styles}
        golds = [gold for dev in own.values() for gold in dev[:MOST]]
        model = TorchModel(*given, treebank)
        divisors = temperatures(model, golds) if golds else {}
        styles = styles_of(*given, known, styles=options.styles, otherwise=divisors)
        parser.cpu()
        built_in = None if styles else treebank
        export.write_float(parser, built_in, options.out / "float.onnx")
        export.write_int8(options.out / "float.onnx", options.out / "int8.onnx")
        folder.mkdir(exist_ok=True)
        export.copy_vocabulary(parser, options.encoder / "tokenizer.json", folder)
    style = (options.style or next(iter(styles))) if styles else treebank
    facts = _facts(options, inventory, trainer, style, divisors)
    if styles:
        facts["styles"] = styles
    return _written(options, data, folder, facts)


def _written(
    options: TrainingOptions, data: Data, folder: Path, facts: dict[str, Any]
) -> Path:
    """Score both graphs, keep one, and write manifest and pictures."""
    scores: dict[str, dict[str, Any]] = {}
    for kind in ("float", "int8"):
        shutil.copyfile(options.out / f"{kind}.onnx", folder / "model.onnx")
        write_manifest(folder, facts)
        scores[kind] = {
            name: scores_of(
                _written_like(folder, options, name),
                golds,
                oracle=kind == "int8" and not options.styles,
            )
            for name, golds in data.dev.items()
        }
        log.info("%s: %s", kind, scores[kind])
    kept = "int8" if _close(scores["int8"], scores["float"]) else "float"
    shutil.copyfile(options.out / f"{kept}.onnx", folder / "model.onnx")
    write_manifest(folder, facts)
    plots = {
        f"{name} {kind}": plot
        for name, golds in data.dev.items()
        for kind, plot in reliability(
            _written_like(folder, options, name), golds
        ).items()
    }
    errors = {title: plot.error for title, plot in plots.items()}
    facts |= {"precision": kept, "scores": scores, "calibration_error": errors}
    write_manifest(folder, facts)
    plot = picture.reliability_plot(plots)
    (options.out / "reliability.svg").write_text(plot, encoding="utf-8")
    curves = picture.curves(options.out / "curves.jsonl")
    (options.out / "curves.svg").write_text(curves, encoding="utf-8")
    return folder


def _written_like(
    folder: Path, options: TrainingOptions, treebank: str
) -> NeuralParser:
    """Return the exported parser, in the style of ``treebank`` if it has that."""
    names = [name for name, own in options.styles.items() if own == treebank]
    return NeuralParser(folder, style=names[0] if names else None)


def _trainer(options: TrainingOptions, inventory: Inventory) -> Trainer:
    settings = options.settings
    torch.manual_seed(settings.seed)
    shape = options.shape or EncoderShape.read(options.encoder / "config.json")
    parser = Parser(shape, inventory)
    if options.shape is None:
        parser.encoder.read(options.encoder / "model.safetensors")
        parser.encoder.pieces.weight.requires_grad = False
    if options.start is not None:
        start_from(parser, options.start, like=options.like)
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
    return {
        **asdict(options.card),
        "capabilities": sorted(capabilities(inventory.to_json())),
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
    """Return the command as given, without the private names of folders."""
    bare = [re.sub(r"(^|=)[^=\s]*/(?=[^/\s])", r"\1", word) for word in arguments]
    return shlex.join(["python", "-m", "lab", "train-parser", *bare])
