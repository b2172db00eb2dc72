"""The floors of the house, read off the imports."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE_FLOORS = [
    {"errors"},
    {"data"},
    {"protocols", "formats", "text", "semiring", "kernels", "layout", "agreement"},
    {"grammar", "scoring"},
    {"inference"},
    {"joint", "learning", "paraphrase"},
    {"backends", "training"},
    {"__main__"},
]
ANNOTATOR_FLOORS = [
    {"errors", "env", "checks", "timing", "__version__"},
    {"settings", "celery", "wsgi"},
    {"models"},
    {"access", "exchange", "svg", "context", "middleware", "jobkinds", "sample"},
    {"services"},
    {"forms"},
    {"views", "api", "tasks", "management", "templatetags", "admin"},
    {"urls", "apps", "webserver", "__main__"},
]
DOORS = {
    "django": ["annotator", "manage.py"],
    "rest_framework": ["annotator/api", "annotator/services/accounts.py"],
    "celery": ["annotator/celery.py", "annotator/tasks.py"],
    "svgwrite": ["annotator/svg"],
    "svglib": ["annotator/svg"],
    "reportlab": ["annotator/svg"],
    "resvg_py": ["annotator/svg"],
    "numba": ["core/kernels"],
    "nltk": ["core/text", "core/backends"],
    "torch": ["core/training"],
    "onnxruntime": ["core/backends", "core/training"],
    "tokenizers": ["core/text", "core/backends", "core/training"],
    "sklearn": ["core/training", "core/learning"],
    "optuna": ["core/learning/tuning.py"],
}
MAX_LINES, MAX_FUNCTION, MAX_KERNEL = 400, 40, 80
WRITES = {"create", "bulk_create", "update", "delete", "save", "get_or_create"}


def modules(top: str) -> list[Path]:
    found = sorted((ROOT / top).rglob("*.py"))
    return [path for path in found if "migrations" not in path.parts]


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Dotted names of what this file imports, wherever in it."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(dotted: str) -> str:
    return dotted.split(".")[1] if "." in dotted else ""


def floor_of(floors: list[set[str]], name: str) -> int | None:
    return next((n for n, rooms in enumerate(floors) if name in rooms), None)


def where(path: Path) -> str:
    return str(path.relative_to(ROOT))


def upward(top: str, floors: list[set[str]]) -> Iterator[str]:
    for path in modules(top):
        here = path.relative_to(ROOT / top).parts[0].removesuffix(".py")
        if here == "__init__":
            continue
        mine = floor_of(floors, here)
        assert mine is not None, f"{where(path)}: {here} has no floor"
        for dotted in imports(path):
            if dotted.split(".")[0] != top or room(dotted) in ("", here):
                continue
            theirs = floor_of(floors, room(dotted))
            if theirs is None or theirs > mine:
                yield f"{where(path)} imports {dotted}"


def test_core_imports_only_lower_floors() -> None:
    # A room may import its neighbours on the same floor, never a room above it.
    assert list(upward("core", CORE_FLOORS)) == []


def test_annotator_imports_only_lower_floors() -> None:
    assert list(upward("annotator", ANNOTATOR_FLOORS)) == []


def test_core_knows_nothing_of_the_web() -> None:
    found = [
        f"{where(path)} imports {dotted}"
        for path in modules("core")
        for dotted in imports(path)
        if dotted.split(".")[0] in ("annotator", "django", "rest_framework", "celery")
    ]
    assert found == []


def test_views_and_api_do_not_import_each_other() -> None:
    rooms = {"views", "api", "management", "tasks"}
    found = [
        f"{where(path)} imports {dotted}"
        for name in rooms
        for path in modules(f"annotator/{name}")
        for dotted in imports(path)
        if dotted.startswith("annotator.") and room(dotted) in rooms - {name}
    ]
    # The API's table of contents serves its own description page.
    assert [f for f in found if not f.startswith("annotator/api/urls.py")] == []


@pytest.mark.parametrize("library", sorted(DOORS))
def test_each_library_has_one_door(library: str) -> None:
    doors = DOORS[library]
    found = [
        f"{where(path)} imports {dotted}"
        for top in ("core", "annotator")
        for path in modules(top)
        for dotted in imports(path)
        if dotted.split(".")[0] == library
        and not any(where(path).startswith(door) for door in doors)
    ]
    assert found == []


def test_nothing_is_fetched_from_elsewhere() -> None:
    """No address out of data can make the server call somebody."""
    fetching = (
        "urllib.request",
        "http.client",
        "requests",
        "httpx",
        "ftplib",
        "socket",
    )
    found = [
        f"{where(path)} imports {dotted}"
        for top in ("core", "annotator")
        for path in modules(top)
        for dotted in imports(path)
        if f"{dotted}.".startswith(tuple(f"{name}." for name in fetching))
    ]
    # ``up`` looks whether its port is free.
    assert found == ["annotator/management/commands/up.py imports socket"]


def test_only_services_write_rows() -> None:
    found = []
    for top in ("annotator/views", "annotator/api", "annotator/management"):
        for path in modules(top):
            found += [f"{where(path)}:{line}" for line in _writes(path)]
    assert found == []


def _writes(path: Path) -> Iterator[int]:
    """Lines with ``….objects.….create()`` and its like, or ``….save()`` of a row."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        text = ast.unparse(node.func)
        if node.func.attr in WRITES and ".objects" in text:
            yield node.lineno


def test_files_and_functions_stay_small() -> None:
    found = []
    for path in (*modules("core"), *modules("annotator")):
        text = path.read_text()
        if text.count("\n") > MAX_LINES:
            found.append(f"{where(path)}: {text.count(chr(10))} lines")
        limit = MAX_KERNEL if "kernels" in path.parts else MAX_FUNCTION
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or 0) - node.lineno + 1 - _docstring(node)
                if size > limit:
                    found.append(
                        f"{where(path)}:{node.lineno} {node.name}: {size} lines"
                    )
    assert found == []


def _docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return (first.end_lineno or 0) - first.lineno + 1 if is_text else 0


def test_no_inline_script_or_style_in_templates() -> None:
    bad = ("style=", "onclick=", "onload=", "onchange=", "<style", "javascript:")
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for word in bad
        if word in path.read_text()
    ]
    assert found == []
