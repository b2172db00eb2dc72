"""lab/notes/papers.md: every name is there, and every numbered item of the papers."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "lab" / "notes" / "papers.md").read_text(encoding="utf-8")
ITEMS = {
    "Choe": ["Algorithm 1", "Algorithm 2", "Algorithm 3", "Eq. 1", "Eq. 2"]
    + [f"Table {n}" for n in range(1, 8)]
    + ["Figure 1"],
    "Arase": ["Algorithm 4.1", "Algorithm 4.2", "Eq. 1", "Definition 3.1"]
    + ["Definition 3.2", "Theorem 3.1", "Theorem 3.2"]
    + [f"Table {n}" for n in range(1, 4)]
    + [f"Figure {n}" for n in range(1, 6)],
    "Wu": ["3.1", "3.2", "3.3", "5.1", "5.7"],
    "Callison-Burch": [f"Eq. {n}" for n in range(1, 11)]
    + [f"Table {n}" for n in range(1, 7)]
    + ["Figure 1", "Figure 2"],
    "Caplan": ["Eq. 1", "Eq. 2", "Table 1", "Table 2"],
}


class PaperRow(NamedTuple):
    paper: str
    item: str
    module: str
    names: tuple[str, ...]


def rows() -> list[PaperRow]:
    listed = []
    for part in re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]:
        for line in part.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not line.startswith("| ") or cells[0] == "item":
                continue
            assert len(cells) == 4, line
            module = cells[1].strip("`-")
            names = tuple(re.findall(r"`([^`]+)`", cells[2]))
            listed.append(PaperRow(part.split(",")[0], cells[0], module, names))
    return listed


@cache
def defined(module: str) -> frozenset[str]:
    """What a module defines, methods as Class.method; read, not imported."""
    path = ROOT / Path(*module.split("."))
    file = path.with_suffix(".py")
    names = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {one.id for one in targets if isinstance(one, ast.Name)}
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
            inner = getattr(node, "body", []) if isinstance(node, ast.ClassDef) else []
            names |= {
                f"{node.name}.{one.name}"
                for one in inner
                if isinstance(one, ast.FunctionDef)
            }
    return frozenset(names)


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.paper}: {row.item}")
def test_every_name_of_a_paper_exists(row: PaperRow) -> None:
    assert bool(row.module) == bool(row.names), row
    if row.module:
        assert set(row.names) <= defined(row.module)


@pytest.mark.parametrize("who", sorted(ITEMS))
def test_every_numbered_item_has_a_row(who: str) -> None:
    said = [numbers(row.item) for row in rows() if row.paper.startswith(who)]
    listed = set().union(*said)
    assert set(ITEMS[who]) <= listed


def numbers(item: str) -> set[str]:
    """The numbered items that a cell names: "Eq. 8, 9" is "Eq. 8" and "Eq. 9"."""
    items = set()
    for kind, listed in re.findall(r"([A-Za-z]+\.?|)\s*((?:\d[\d.]*(?:, )?)+)", item):
        stem = kind.removesuffix("s")
        for number in listed.split(", "):
            items.add(f"{stem} {number.rstrip('.')}".strip())
    if ends := re.match(r"(\d\.\d) to (\d\.\d)", item):
        items |= set(ends.groups())
    return items


def test_backticked_modules_in_the_prose_exist() -> None:
    for module in re.findall(r"`(core\.[a-z_.0-9]+)`", TEXT):
        path = ROOT / Path(*module.split("."))
        assert path.with_suffix(".py").is_file(), module
