"""Human word alignments of pairs, from the files that hold them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from core.formats.alignments import multimwa, treealigner
from core.formats.records import PairRecord

Links = list[tuple[int, int]]


class GoldSet(NamedTuple):
    """A set of alignments: its name, one language or two, where, and how to read."""

    name: str
    languages: str
    path: str
    read: Callable[[Path], Iterator[Links]]


def _jacana(path: Path) -> Iterator[Links]:
    """Yield JSON of the Jacana aligner: ``sureAlign`` is Pharaoh."""
    for row in json.loads(path.read_text(encoding="utf-8-sig")):
        yield _pharaoh(row["sureAlign"])


def _pharaoh(text: str) -> Links:
    cells = (cell.split("-") for cell in text.split())
    return [(int(s), int(t)) for s, t in cells]


def _json_lines(path: Path) -> Iterator[Links]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield [(int(s), int(t)) for s, t in json.loads(line)["alignment"]]


def _pharaoh_lines(path: Path) -> Iterator[Links]:
    with path.open(encoding="utf-8") as lines:
        yield from (_pharaoh(line) for line in lines)


def _multimwa(path: Path) -> Iterator[Links]:
    with path.open(encoding="utf-8", newline="") as lines:
        for record in multimwa.read(lines):
            if isinstance(record, PairRecord):
                yield _sure_words(record)


def _sure_words(record: PairRecord) -> Links:
    links = record.layers[0].alignment.links if record.layers else ()
    return [
        (int(link.source[1:]), int(link.target[1:]))
        for link in links
        if link.kind == "sure" and link.source[0] == link.target[0] == "w"
    ]


def _tree_aligner(path: Path) -> Iterator[Links]:
    """Yield the good terminal links of SMULTRON."""

    def bank(name: str) -> Iterator[str]:
        with (path.parent / Path(name).name).open(encoding="utf-8") as lines:
            yield from lines

    with path.open(encoding="utf-8") as lines:
        for record in treealigner.read(lines, bank):
            if isinstance(record, PairRecord):
                yield _sure_words(record)


def _pud(path: Path) -> Iterator[Links]:
    """Yield links of CoNLL-U ids; ``X`` is no counterpart."""
    orders = [_ids(path.parent / f"{side}.conllu") for side in ("en", "fr")]
    pairs: list[dict[str, list[str]]] = json.loads(path.read_text(encoding="utf-8"))
    for row, source, target in zip(pairs, *orders, strict=False):
        yield [
            (source[s], target[t])
            for s, others in row.items()
            for t in others
            if s in source and t in target
        ]


def _ids(path: Path) -> list[dict[str, int]]:
    numbers: list[dict[str, int]] = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t")[0] for line in block.split("\n") if line[:1].isdigit()]
        words = [name for name in rows if name.isdigit()]
        numbers.append({name: k for k, name in enumerate(words)})
    return numbers


ONE, TWO = "one language", "two languages"
_GOLD_FOLDER = "word-align-gold"
GOLD = (
    GoldSet("Edinburgh++", ONE, "edinburgh-align/edinburgh.train.sure.json", _jacana),
    GoldSet("MSR RTE-2", ONE, "msr-rte2-align-dev/RTE2_dev_M.align.json", _jacana),
    GoldSet("MultiMWA MTRef dev", ONE, "multimwa/mtref-dev.tsv", _multimwa),
    GoldSet("MultiMWA Wiki dev", ONE, "multimwa/wiki-dev.tsv", _multimwa),
    GoldSet("PUD en-fr", TWO, "pud-en-fr/alignment.json", _pud),
    *(
        GoldSet(name, TWO, f"{_GOLD_FOLDER}/{file}.jsonl", _json_lines)
        for name, file in (
            ("Hansards en-fr", "en-fr.hansards.1"),
            ("Golden en-es", "en-es.golden.1"),
            ("Europarl en-sv", "en-sv.europarl.1"),
            ("CzEnAli en-cs", "en-cs.czenali.1"),
        )
    ),
    GoldSet("de-en", TWO, f"{_GOLD_FOLDER}/de-en-bicici/de-en.wa", _pharaoh_lines),
    *(
        GoldSet(
            f"SMULTRON {name}",
            TWO,
            f"smultron/alignments_banana_{name.replace('-', '_')}.xml",
            _tree_aligner,
        )
        for name in ("en-sv", "de-en")
    ),
)
