"""``release hugging-face``: a release as a dataset folder, Parquet and a card."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.releases.dataset import write

HELP = "write a sealed release as a Hugging Face dataset: Parquet files and a card"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="zip file of the release")
    parser.add_argument("--out", type=Path, required=True, help="folder to create")


def run(options: Mapping[str, Any], say: Callable[[str], None]) -> dict[str, Any]:
    """Rows by table. Raises FormatError, FileExistsError."""
    return dict(write(options["file"], options["out"]))
