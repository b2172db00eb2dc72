"""A release as a Hugging Face dataset: a folder of Parquet files and a card."""

import json
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from core.errors import FormatError
from core.formats import gemel, json_text
from core.formats.records import BadLine
from core.releases.archive import lines_of, opened
from core.releases.licences import hub_name, terms_of
from core.releases.manifest import Manifest

ASKED = "*To be written by the makers.*"


def datasheet(manifest: Manifest, description: str, *, with_texts: bool) -> str:
    """Markdown. ``with_texts``: whether comments and notes of people are in it."""
    return "\n".join(_lines(manifest, description, with_texts=with_texts)) + "\n"


def _lines(manifest: Manifest, description: str, *, with_texts: bool) -> Iterator[str]:
    yield f"# {manifest.title}"
    yield ""
    yield f"Made on {manifest.made_at[:10]}. Ledger of {manifest.ledger_length} acts."
    yield from _section("Motivation", description.strip() or ASKED)
    yield from _section("Composition", *_counted(manifest.counts))
    yield from _section(
        "Collection",
        "People worked in Gemel: each answer, link and tree is in `ledger.jsonl` with"
        " its time and a pseudonym that holds within this release alone.",
        "Comments and notes that they wrote are "
        + ("in it." if with_texts else "left out."),
        "Who they are, how they were found and paid, and what they agreed to:",
        ASKED,
    )
    yield from _section(
        "Preprocessing",
        "Each corpus's `meta` names the files it came from; trees and links name the"
        " program and version that made them. Versions: `environment.json`.",
    )
    yield from _section("Uses", ASKED)
    yield from _section("Distribution", *_licences(manifest.licences))
    if manifest.warnings:
        yield from _section("Known of it when it was made", *manifest.warnings)
    yield from _section("Maintenance", ASKED)


def _section(title: str, *paragraphs: str) -> Iterator[str]:
    yield f"\n## {title}"
    for text in paragraphs:
        yield ""
        yield text


def _counted(counts: Mapping[str, int]) -> Iterator[str]:
    rows = [f"| {name} | {n:,} |" for name, n in counts.items()]
    yield "\n".join(["| what | number |", "|---|---:|", *rows])


def _licences(licences: Mapping[str, str]) -> Iterator[str]:
    rows = []
    for corpus, licence in licences.items():
        terms = terms_of(licence)
        asks = []
        if terms:
            asks = [
                *(["credit"] if terms.asks_credit else []),
                *(["the same licence"] if terms.asks_same else []),
                *(["no commerce"] if terms.is_noncommercial else []),
            ]
        cell = corpus.replace("|", "\\|")
        rows.append(f"| {cell} | {licence or '–'} | {', '.join(asks) or '–'} |")
    if rows:
        yield "\n".join(["| corpus | licence | asks |", "|---|---|---|", *rows])


Row = dict[str, Any]
COLUMNS: dict[str, dict[str, str]] = {
    "pairs": {
        "corpus": "VARCHAR", "licence": "VARCHAR", "pair": "VARCHAR", "ref": "VARCHAR",
        "label": "VARCHAR", "state": "VARCHAR", "source": "VARCHAR",
        "target": "VARCHAR", "source_tokens": "VARCHAR[]", "target_tokens": "VARCHAR[]",
        "source_language": "VARCHAR", "target_language": "VARCHAR",
        "source_tree": "VARCHAR", "target_tree": "VARCHAR",
    },
    "links": {
        "corpus": "VARCHAR", "pair": "VARCHAR", "layer": "VARCHAR", "origin": "VARCHAR",
        "made_by": "VARCHAR", "state": "VARCHAR", "source": "VARCHAR",
        "target": "VARCHAR", "kind": "VARCHAR", "crossing": "BOOLEAN",
        "source_tree": "VARCHAR", "target_tree": "VARCHAR",
    },
    "judgments": {
        "campaign": "VARCHAR", "item": "VARCHAR", "sentence": "VARCHAR",
        "phrase": "VARCHAR", "paraphrase": "VARCHAR", "conditions": "VARCHAR[]",
        "annotator": "VARCHAR", "person": "VARCHAR", "scale": "VARCHAR",
        "value": "VARCHAR", "round": "INTEGER", "counted": "BOOLEAN",
        "simulated": "BOOLEAN", "guideline": "INTEGER", "active_ms": "BIGINT",
        "saved_at": "VARCHAR",
    },
}  # fmt: skip
"""By table, the type of each column, in their order; a value may be missing."""


def rows(archive: zipfile.ZipFile, manifest: Manifest) -> Iterator[tuple[str, Row]]:
    """Each row with the table that it belongs to. Raises FormatError.

    A corpus is read as a whole: memory is linear in its sentences and trees.
    """
    for name in manifest.files:
        if name.startswith("corpora/"):
            yield from _corpus(archive, name)
        elif name.endswith("/judgments.jsonl"):
            yield from _campaign(archive, name.split("/")[1])


def _corpus(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[str, Row]]:
    known = _Known()
    for item in gemel.read(lines_of(archive, name)):
        if isinstance(item, BadLine):
            raise FormatError(f"{name}: {item.reason}", line=item.line, column=1)
        yield from known.take(item.type, item.row)


class _Known:
    """What a bundle has said so far of sentences and trees."""

    def __init__(self) -> None:
        self._corpus: Mapping[str, Any] = {}
        self._sentences: dict[str, Mapping[str, Any]] = {}
        self._trees: dict[str, str] = {}
        self._best: dict[str, tuple[int, str]] = {}  # of a sentence: rank, brackets

    def take(self, kind: str, row: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
        if kind == "corpus":
            self._corpus = row
        elif kind == "sentence":
            self._sentences[row["id"]] = row
        elif kind == "parse" and row["kind"] == "constituency":
            self._trees[row["id"]] = row["text"]
            rank = {"gold": 0, "engine": 1}.get(row["origin"], 2)
            best = self._best.get(row["sentence"], (9, ""))
            self._best[row["sentence"]] = min(best, (rank, row["text"]))
        elif kind == "pair":
            yield "pairs", self._pair(row)
        elif kind == "layer":
            yield from (("links", one) for one in self._links(row))

    def _pair(self, row: Mapping[str, Any]) -> Row:
        made: Row = {
            "corpus": self._corpus["name"], "licence": self._corpus["licence"],
            "pair": row["id"], "ref": row["ref"], "label": row["label"],
            "state": row["state"],
        }  # fmt: skip
        for side in ("source", "target"):
            sentence = self._sentences[row[side]]
            tokens = sentence["tokens"]
            made |= {
                side: sentence["text"] or " ".join(tokens),
                f"{side}_tokens": tokens,
                f"{side}_language": sentence["language"],
                f"{side}_tree": self._best.get(row[side], (9, None))[1],
            }
        return made

    def _links(self, row: Mapping[str, Any]) -> Iterator[Row]:
        about = {
            "corpus": self._corpus["name"], "pair": row["pair"], "layer": row["id"],
            "origin": row["origin"], "state": row["state"],
            "made_by": row["author"] or f"{row['engine']} {row['version']}".strip(),
            "source_tree": self._trees.get(row["source_parse"]),
            "target_tree": self._trees.get(row["target_parse"]),
        }  # fmt: skip
        links = row["links"]
        for source, target, kind, *more in links.get("links", ()):
            ends = {"source": source, "target": target, "kind": kind}
            yield about | ends | {"crossing": bool(more and more[0])}
        for side in ("source", "target"):
            for ref in links.get(f"null_{side}", ()):
                yield about | {side: ref, "kind": "null", "crossing": False}


def _campaign(archive: zipfile.ZipFile, folder: str) -> Iterator[tuple[str, Row]]:
    base = f"campaigns/{folder}/"
    about = json_text.loads(archive.read(f"{base}campaign.json").decode())
    items = {row["item"]: row for row in _objects(archive, f"{base}items.jsonl")}
    for row in _objects(archive, f"{base}judgments.jsonl"):
        item = items[row["item"]]
        made = {
            "campaign": about["name"],
            "conditions": [one["condition"] for one in item["credits"]],
            **{name: item[name] for name in ("sentence", "phrase", "paraphrase")},
        }
        made |= {name: row[name] for name in COLUMNS["judgments"] if name in row}
        for scale, value in row["values"].items():
            yield "judgments", made | {"scale": scale, "value": str(value)}


def _objects(archive: zipfile.ZipFile, name: str) -> Iterator[Row]:
    for line in lines_of(archive, name):
        yield json_text.loads(line)


def write(release: Path, folder: Path) -> Mapping[str, int]:
    """Make the folder; rows by table. It is there whole or not at all.

    Raises FormatError if it is not a release, FileExistsError if the folder exists.
    """
    if folder.exists():
        raise FileExistsError(f"{folder} already exists: name another folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
    try:
        with opened(release) as (archive, manifest):
            counts = _spool(rows(archive, manifest), aside)
            (aside / "data").mkdir()
            for table in counts:
                _parquet(aside / f"{table}.jsonl", aside / "data", table)
            card = "\n".join(_card(manifest, counts))
            sheet = archive.read("DATASHEET.md").decode()
        (aside / "README.md").write_text(f"{card}\n{sheet}", encoding="utf-8")
        aside.rename(folder)
    except (KeyError, ValueError) as error:
        raise FormatError(f"{release.name} cannot be read: {error!r}") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return counts


def _spool(of_tables: Iterator[tuple[str, Row]], folder: Path) -> Counter[str]:
    """The rows of each table as lines of JSON."""
    counts: Counter[str] = Counter()
    with ExitStack() as stack:
        files = {}
        for table, row in of_tables:
            if table not in files:
                path = folder / f"{table}.jsonl"
                files[table] = stack.enter_context(path.open("w", encoding="utf-8"))
            whole = {name: row.get(name) for name in COLUMNS[table]}
            files[table].write(json.dumps(whole, ensure_ascii=False) + "\n")
            counts[table] += 1
    return counts


def _parquet(spooled: Path, folder: Path, table: str) -> None:
    from core.releases.parquet import from_json_lines  # DuckDB, only for who writes one

    from_json_lines(spooled, folder / f"{table}.parquet", COLUMNS[table])
    spooled.unlink()


def _card(manifest: Manifest, counts: Mapping[str, int]) -> Iterator[str]:
    """The head of the card, as the Hub reads it (YAML)."""
    names = {hub_name(licence) for licence in manifest.licences.values()}
    yield "---"
    yield f"pretty_name: {json.dumps(manifest.title, ensure_ascii=False)}"
    yield f"license: {names.pop() if len(names) == 1 else 'other'}"
    yield "tags:\n- paraphrase\n- treebank\n- annotation"
    yield "configs:"
    for table in counts:
        yield f"- config_name: {table}\n  data_files: data/{table}.parquet"
    yield f"gemel_seal: {manifest.seal}"
    yield "---\n"
