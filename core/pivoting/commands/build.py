"""``pivot build``: parallel text, or aligned pairs, to a table of paraphrases."""

import argparse
import os
from pathlib import Path
from typing import Any

from core.errors import FormatError, InvalidValue
from core.parsing.registry import add_parser_options
from core.pivoting import text_files
from core.pivoting.building.pipeline import build_table
from core.pivoting.building.settings import BuildSettings, PairsFile
from core.pivoting.commands import parse
from core.pivoting.commands.options import Say
from core.pivoting.table import open_table

HELP = "build a paraphrase table from aligned, parsed parallel text"
SPARK = "GEMEL_SPARK_MASTER"
PARQUET = b"PAR1"  # how such a file begins


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    usual = BuildSettings()
    add(
        "--text",
        type=Path,
        nargs="+",
        default=[],
        metavar="PATH",
        help="text files named by their languages (en.txt de.txt fr.txt.gz), one "
        "sentence per line, or a folder of them: cleaned, linked and parsed first",
    )
    add("--tokenised", action="store_true", help="of --text: spaces separate tokens")
    add("--limit", type=int, default=0, help="of --text: lines to read (default: all)")
    add_parser_options(parser)
    add(
        "--bitext",
        type=Path,
        nargs="+",
        default=[],
        metavar="PATH",
        help="pairs.parquet files with word links, or folders of them",
    )
    add(
        "--parses",
        type=Path,
        nargs="+",
        default=[],
        metavar="PATH",
        help="parses.parquet files of the English sides, or folders of them",
    )
    add("--out", type=Path, required=True, metavar="TABLE", help="folder to create")
    add(
        "--max-length",
        type=int,
        default=usual.max_length,
        help="longest phrase, in words",
    )
    add(
        "--labels",
        choices=["none", "constituents", "ccg"],
        default=usual.labels,
        help="labels that constrain paraphrases",
    )
    add(
        "--forest",
        action="store_true",
        help="labels out of all trees that are kept of a sentence, each for its share",
    )
    add("--parsed-only", action="store_true", help="skip sentences without a tree")
    add(
        "--keep-case",
        action="store_true",
        help="treat phrases of different letter case as different",
    )
    add(
        "--best",
        type=int,
        default=usual.best,
        help="paraphrases kept for each phrase and label",
    )
    add(
        "--widest",
        type=int,
        default=usual.widest,
        help="English phrases kept for each foreign phrase; 0 keeps all",
    )
    add(
        "--wanted",
        type=Path,
        help="file of phrases to paraphrase, one per line (default: all)",
    )
    add(
        "--buckets",
        type=int,
        default=usual.buckets,
        help="files that the table is split into, a power of two",
    )
    add(
        "--memory",
        default="2GB",
        help=("memory limit of the database, which spills to disk beyond it"),
    )
    add("--tidy", action="store_true", help="delete intermediate files")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return a summary of the table; ``say`` receives a line after each piece."""
    rules = BuildSettings(
        max_length=options["max_length"],
        lowercase=not options["keep_case"],
        labels=options["labels"],
        parsed_only=options["parsed_only"],
        forest=options["forest"],
        best=options["best"],
        widest=options["widest"],
        wanted=_wanted(options["wanted"]),
        buckets=options["buckets"],
    )
    steps = build_table(
        options["out"],
        _of_text(options, say) or _sources(options["bitext"], options["parses"]),
        rules,
        spark=os.environ.get(SPARK, ""),
        memory=options["memory"],
        keep_work=not options["tidy"],
    )
    for step in steps:
        say(step.note)
    table = open_table(options["out"])
    try:
        return table.size() | {"stages": table.facts["stages"]}
    finally:
        table.close()


def _of_text(options: dict[str, Any], say: Say) -> list[PairsFile]:
    """The pairs of text files, linked and parsed; what a former run did is kept next to
    the table. Raises InvalidValue."""
    if bool(options["text"]) == bool(options["bitext"]):
        raise InvalidValue("give either --text or --bitext")
    if not options["text"]:
        return []
    work = options["out"].with_name(options["out"].name + "-text")
    pairs = text_files.pairs_of(
        options["text"],
        work,
        say,
        is_tokenised=options["tokenised"],
        limit=options["limit"],
    )
    wanted = {name: options.get(name) for name in ("engine", "models")}
    parsed = {**wanted, "files": pairs, "out": work / "parsed"}
    trees = 10 if options["forest"] else 1
    parse.run({**parsed, "trees": trees}, lambda note: say(f"parsing: {note}"))
    return _sources(pairs, [*options["parses"], work / "parsed" / "parses.parquet"])


def _sources(bitext: list[Path], parses: list[Path]) -> list[PairsFile]:
    trees = tuple(file for path in parses for file in _parquet(path))
    return [PairsFile(file, trees) for path in bitext for file in _parquet(path)]


def _parquet(path: Path) -> list[Path]:
    if path.is_dir():
        files = sorted(path.glob("*.parquet"))
        if not files:
            raise InvalidValue(f"{path}: it has no .parquet file")
    elif not path.is_file():
        raise InvalidValue(f"{path}: no such file or folder")
    else:
        files = [path]
    for file in files:
        _require_parquet(file)
    return files


def _require_parquet(path: Path) -> None:
    """Raises FormatError on a text, where DuckDB would only miss its own marks."""
    with path.open("rb") as file:
        if file.read(len(PARQUET)) == PARQUET:
            return
    raise FormatError(
        "not a Parquet file",
        file=str(path),
        line=1,
        remedy="give pairs.parquet and parses.parquet files. Upload text as parallel "
        "text first; docs/methods.md shows how",
    )


def _wanted(path: Path | None) -> tuple[str, ...]:
    if path is None:
        return ()
    lines = path.read_text(encoding="utf-8").splitlines()
    phrases = tuple(" ".join(line.split()) for line in lines if line.strip())
    if not phrases:
        raise InvalidValue(f"{path}: it has no phrases")
    return phrases
