"""Train the shipped parsers: ``python -m lab train-parser train|export …``."""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from core.errors import GemelError
from core.parsing.conventions import CONVENTIONS
from lab.training.corpus import TreebankSource
from lab.training.loop import Settings
from lab.training.run import (
    Card,
    Data,
    TrainingOptions,
    export_folder,
    read_data,
    train,
)

log = logging.getLogger("lab.training")
HEADS = 7.5  # how much faster the heads learn than the encoder


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status: 0, or 2 after a message."""
    logging.basicConfig(format="%(asctime)s %(message)s")
    log.setLevel(logging.INFO)
    arguments = _parser().parse_args(argv)
    torch.set_num_threads(arguments.threads)
    try:
        data = _data(arguments)
        folder = arguments.run(_options(arguments), data)
    except GemelError as error:
        log.error("%s", error)
        return 2
    log.info("model folder: %s", folder)
    return 0


def _data(arguments: argparse.Namespace) -> Data:
    return read_data(
        arguments.conllu,
        arguments.ptb,
        arguments.dev_conllu,
        arguments.dev_ptb,
        skip=arguments.skip,
        max_words=arguments.max_words,
        held_out=arguments.held_out,
        repeat={name: int(times) for name, times in arguments.repeat},
    )


def _options(arguments: argparse.Namespace) -> TrainingOptions:
    card = Card(
        arguments.name,
        arguments.version,
        tuple(arguments.languages.split(",")),
        arguments.licence,
        arguments.note,
        tuple(filter(None, arguments.conventions.split(","))),
    )
    device, bf16 = arguments.device, arguments.bf16
    if bf16 is None:
        bf16 = device != "cpu" or has_bf16()
    settings = Settings(
        seed=arguments.seed,
        device=device,
        bf16=bf16,
        encoder_rate=arguments.rate,
        head_rate=arguments.rate * HEADS,
    )
    return TrainingOptions(
        arguments.out,
        arguments.encoder,
        card,
        settings,
        epochs=arguments.epochs,
        minutes=arguments.minutes,
        batch=arguments.batch,
        max_words=arguments.max_words,
        style=arguments.style,
        start=arguments.start,
        like=dict(arguments.like),
        watch=arguments.watch,
        styles=dict(arguments.styles),
    )


def has_bf16() -> bool:
    """Whether this processor has instructions for bfloat16; if not, it is ten times
    slower than float32."""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def _source(text: str) -> TreebankSource:
    name, sep, path = text.partition("=")
    if not sep or not Path(path).exists():
        raise argparse.ArgumentTypeError(f"{text}: NAME=PATH of existing files wanted")
    return TreebankSource(name, Path(path))


def _entry(text: str) -> tuple[str, str]:
    name, sep, value = text.partition("=")
    if not sep:
        raise argparse.ArgumentTypeError(f"{text}: NAME=VALUE wanted")
    return name, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab train-parser")
    commands = parser.add_subparsers(required=True)
    for name, run, text in (
        ("train", train, "train or go on, then export; needs --epochs or --minutes"),
        ("export", export_folder, "write the model folder of the last checkpoint"),
    ):
        command = commands.add_parser(name, help=text)
        command.set_defaults(run=run)
        _data_flags(command)
        _run_flags(command)
        _style_flags(command)
    return parser


def _data_flags(command: argparse.ArgumentParser) -> None:
    for flag, text in (
        ("--conllu", "dependencies and tags to train on"),
        ("--ptb", "trees to train on; sentences met under the same NAME are joined"),
        ("--dev-conllu", "dependencies to choose and calibrate by"),
        ("--dev-ptb", "trees to choose and calibrate by; other NAMEs are only scored"),
    ):
        command.add_argument(
            flag,
            type=_source,
            action="append",
            default=[],
            metavar="NAME=PATH",
            help=text,
        )
    command.add_argument(
        "--skip", default="", help="training files to leave out (regex)"
    )
    held = "sentences never to train on: a treebank, or a .tsv with a column source"
    _many(command, "--held-out", Path, "PATH", held)
    times = "see the sentences of treebank NAME N times a pass"
    _many(command, "--repeat", _entry, "NAME=N", times)
    command.add_argument("--max-words", type=int, default=120, help="longer: left out")


def _many(
    command: argparse.ArgumentParser, flag: str, kind: Any, metavar: str, text: str
) -> None:
    """Add a flag that may be given several times."""
    command.add_argument(
        flag, type=kind, action="append", default=[], metavar=metavar, help=text
    )


def _style_flags(command: argparse.ArgumentParser) -> None:
    command.add_argument("--start", type=Path, help="model folder to continue from")
    like = "with --start: treebank NEW starts from the style of OLD"
    _many(command, "--like", _entry, "NEW=OLD", like)
    choice = "the caller may choose STYLE, like treebank NAME; by default --style"
    _many(command, "--styles", _entry, "STYLE=NAME", choice)
    best = "treebank to write like, or one of --styles; default: best on the dev sets"
    command.add_argument("--style", help=best)


def _run_flags(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--encoder", type=Path, required=True, help="folder of a BERT with safetensors")
    add(
        "--out",
        type=Path,
        required=True,
        help="folder of the run; holds its checkpoint",
    )
    add("--epochs", type=float, help="passes over the data")
    add("--minutes", type=float, help="of training, over all sittings")
    add("--batch", type=int, default=1200, help="word pieces a step")
    add("--device", default="cpu", help="cpu, cuda, cuda:1")
    add("--threads", type=int, default=torch.get_num_threads())
    add("--seed", type=int, default=1)
    add(
        "--bf16",
        action=argparse.BooleanOptionalAction,
        help="bfloat16; by default wherever the processor is fast at it",
    )
    add("--rate", type=float, default=2e-4, help="peak learning rate of the encoder")
    add("--watch", type=int, help="dev sentences of each set scored after a pass")
    add("--name", default="parser", help="what the back-end will be called")
    add("--version", default="1.0")
    add("--languages", default="en", help="codes, joined by commas")
    add("--licence", default="")
    add("--note", default="")
    add("--conventions", default="", help=f"of {', '.join(CONVENTIONS)}, by commas")


if __name__ == "__main__":
    sys.exit(main())
