"""Which folder stands on which floor, and what each imports."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORE_FLOORS = [
    {"errors", "compiled", "instrumentation"},
    {"data"},
    {
        "protocols",
        "formats",
        "text",
        "layout",
        "learning",
        "agreement",
        "trees",
        "queries",
        "validation",
    },
    {"forests", "releases"},
    {"dependencies", "word_alignment"},
    {"parsing"},
    {"joint_parsing", "itg", "phrase_alignment", "pivoting", "substitution"},
    {"evaluation"},
    {"commands"},
    {"__main__"},
]
ANNOTATOR_FLOORS = [
    {"errors", "env", "locale", "checks", "faults", "secrecy", "timing", "numbers"}
    | {"serving", "__version__"},
    {"settings", "broker", "celery", "disk", "backups", "wsgi"},
    {"throughput"},
    {"models"},
    {
        "access",
        "exchange",
        "svg",
        "http",
        "jobkinds",
        "monitoring",
        "sample",
    },
    {"services"},
    {"pages"},
    {"forms"},
    {"views", "api", "tasks", "management", "templatetags"},
    {"urls", "apps", "webserver", "__main__"},
]


def modules(top: str) -> list[Path]:
    paths = sorted((ROOT / top).rglob("*.py"))
    return [path for path in paths if "migrations" not in path.parts]


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Return the dotted names of everything that this file imports."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def folder_of(dotted: str) -> str:
    return dotted.split(".")[1] if "." in dotted else ""
