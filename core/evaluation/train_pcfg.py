"""``train pcfg``: a parser from a treebank of any language, in a minute."""

import time
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.data.tree import Tree
from core.errors import FormatError
from core.evaluation.golds import read_golds
from core.formats import tigerxml
from core.formats.records import BadLine, SentenceRecord
from core.parsing.pcfg.training import FoldScores, cross_validated, examples_of, write
from core.parsing.registry import Say

HELP = "train a PCFG on treebanks of any language, in about a minute"


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--ptb", nargs="+", type=Path, default=[], metavar="PATH", help="bracketings")
    add("--tiger", nargs="+", type=Path, default=[], metavar="FILE", help="TigerXML")
    add("--out", type=Path, required=True, help="model folder to create or replace")
    add("--name", help="name of the parser (default: the name of the folder)")
    add("--language", default="und", help="language code")
    add(
        "--licence",
        default="",
        help="licence of the treebank, and therefore of the model",
    )
    add("--folds", type=int, default=0, help="cross-validate first, in this many folds")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Trains and writes; what was learned from, the time, cross-validated scores."""
    trees, unreadable = _trees(options["ptb"], options["tiger"])
    examples = examples_of(trees)
    scores: dict[str, Any] = {}
    if options["folds"] > 1:
        say(f"cross-validating on {len(examples.samples)} trees")
        folds, total = options["folds"], FoldScores()
        for _, total in cross_validated(examples, folds=folds):  # noqa: B007 - the last
            pass
        scores = {"cross_validated": {"folds": folds, **total.to_json()}}
    out: Path = options["out"]
    begun = time.process_time()
    facts = {
        "name": options["name"] or out.resolve().name,
        "version": datetime.now(UTC).strftime("%Y.%m.%d.%H%M%S"),
        "languages": [options["language"]],
        "licence": options["licence"],
        **({"scores": scores} if scores else {}),
    }
    model = write(out, examples, facts)
    return {
        "out": str(out),
        "trees": len(examples.samples),
        "tokens": examples.n_tokens,
        "left_out": examples.left_out,
        "made_continuous": examples.raised,
        "states": len(model.states),
        "rules": len(model.fine.right),
        "seconds": round(time.process_time() - begun, 2),
        **scores,
        "unreadable": unreadable,
    }


def _trees(
    ptb: Sequence[Path], tiger: Sequence[Path]
) -> tuple[Iterable[tuple[Sequence[str], Tree]], list[str]]:
    if not ptb and not tiger:
        raise FormatError("no treebank", remedy="give --ptb PATH or --tiger FILE")
    golds, unreadable = read_golds(ptb, format="ptb" if ptb else None)
    trees: list[tuple[Sequence[str], Tree]] = [
        (gold.sentence.forms, gold.tree) for gold in golds if gold.tree
    ]
    for path in tiger:
        for item in _tiger(path):
            if isinstance(item, str):
                unreadable.append(item)
            else:
                trees.append(item)
    return trees, unreadable


def _tiger(path: Path) -> Iterator[tuple[Sequence[str], Tree] | str]:
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            for record in tigerxml.read(lines):
                if isinstance(record, BadLine):
                    yield f"{path}, line {record.line}: {record.reason}"
                elif isinstance(record, SentenceRecord) and record.parse:
                    tree = record.parse.tree
                    if tree is not None:
                        yield tuple(token.form for token in record.tokens), tree
    except OSError as error:
        raise FormatError(f"{path}: {error}") from error
