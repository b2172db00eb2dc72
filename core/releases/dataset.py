"""A release as a Hugging Face dataset: a folder of Parquet files and a card."""

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from core.errors import FormatError
from core.releases.archive import opened
from core.releases.licences import hub_name
from core.releases.manifest import Manifest
from core.releases.parquet import from_json_lines
from core.releases.tables import COLUMNS, Row, rows


def write(release: Path, folder: Path) -> Mapping[str, int]:
    """Make the folder; rows by table. It is there whole or not at all.

    Raises FormatError if it is no release, FileExistsError if the folder is there.
    """
    if folder.exists():
        raise FileExistsError(f"{folder} is there already: name another folder")
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
