"""Count lines and modules of Python: ``python -m tools.lines [REVISION …] [--sizes]``.

For each revision (default: the working tree) a table by folder, migrations left out.
``--sizes`` lists what a review should look at in the working tree: folders, files,
functions and views that are larger than usual.
"""

import argparse
import ast
import io
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tools.floors import ROOT, modules

TOPS = ("core", "annotator", "lab", "tests", "tools")
PRODUCT = ("core", "annotator")
MODULES, FILE, FUNCTION, KERNEL, VIEW = 20, 600, 40, 80, 18
Counts = Counter[str]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("revisions", nargs="*", help="commits, tags or branches")
    parser.add_argument(
        "--sizes", action="store_true", help="list large folders, files and functions"
    )
    options = parser.parse_args(arguments)
    if options.sizes:
        sys.stdout.writelines(f"{line}\n" for line in sizes())
        return 0
    for revision in options.revisions or [""]:
        lines, files = counts(revision)
        sys.stdout.write(f"{revision or 'working tree'}\n")
        for folder in sorted(lines):
            sys.stdout.write(f"  {folder:28}{lines[folder]:8,}{files[folder]:6,}\n")
        n, m = (sum(table[top] for top in PRODUCT) for table in (lines, files))
        sys.stdout.write(f"  {'product':28}{n:8,}{m:6,}\n")
    return 0


def counts(revision: str) -> tuple[Counts, Counts]:
    """Return lines and modules by folder (one and two levels deep) at a revision."""
    lines, files = Counter[str](), Counter[str]()
    for name, n in _at(revision) if revision else _here():
        parts = name.split("/")
        for folder in {parts[0], "/".join(parts[: min(2, len(parts) - 1)])}:
            lines[folder] += n
            files[folder] += 1
    return lines, files


def _here() -> Iterator[tuple[str, int]]:
    for top in TOPS:
        for path in modules(top):
            yield path.relative_to(ROOT).as_posix(), path.read_text().count("\n")


def _at(revision: str) -> Iterator[tuple[str, int]]:
    command = ["git", "ls-tree", "--name-only", revision]
    listed = subprocess.run(command, check=True, capture_output=True, text=True)
    tops = [top for top in listed.stdout.split() if top in (*TOPS, "bench")]
    packed = subprocess.run(
        ["git", "archive", revision, *tops], check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for one in archive.getmembers():
            if one.name.endswith(".py") and "/migrations/" not in one.name:
                content = archive.extractfile(one)
                yield one.name, content.read().count(b"\n") if content else 0


def sizes() -> Iterator[str]:
    """Yield a line for each folder, file, function and view over its usual size."""
    folders = Counter[Path]()
    for top in PRODUCT:
        for path in modules(top):
            folders[path.parent] += path.stem != "__init__"
            yield from _of_file(path)
    for folder, n in folders.items():
        if n > MODULES:
            yield f"{folder.relative_to(ROOT)}: {n} modules"


def _of_file(path: Path) -> Iterator[str]:
    text, name = path.read_text(), path.relative_to(ROOT)
    if text.count("\n") > FILE:
        yield f"{name}: {text.count(chr(10))} lines"
    limit = KERNEL if "kernels" in path.parts else FUNCTION
    limit = VIEW if "views" in path.parts else limit
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            is_text = isinstance(first, ast.Expr) and isinstance(
                first.value, ast.Constant
            )
            rest = node.body[1:] if is_text and len(node.body) > 1 else node.body
            n = (node.end_lineno or 0) - rest[0].lineno + 1
            if n > limit:
                yield f"{name}:{node.lineno} {node.name}: {n} lines"


if __name__ == "__main__":
    sys.exit(main())
