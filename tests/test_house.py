"""The floors of the house, read off the imports."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import house
from tools.floors import (
    ANNOTATOR_FLOORS,
    CORE_FLOORS,
    ROOT,
    folder_of,
    imports,
    modules,
)

DOORS = {
    "django": ["annotator", "manage.py"],
    "rest_framework": ["annotator/api"],
    "celery": ["annotator/celery.py", "annotator/tasks.py"],
    "svgwrite": ["annotator/svg"],
    "svglib": ["annotator/svg"],
    "reportlab": ["annotator/svg"],
    "resvg_py": ["annotator/svg"],
    "duckdb": ["core/pivoting", "core/substitution", "core/releases"],
    "bllipparser": ["core/parsing/bllip_child.py"],
    "authlib": ["annotator/http/oidc.py"],
    "joserfc": ["annotator/http/oidc.py"],
    "ldap3": ["annotator/http/ldap.py"],
    "eflomal": ["core/word_alignment/eflomal.py"],
    "numba": ["core/compiled.py"],
    "re2": ["core/queries/labels.py"],
    "nltk": ["core/text"],
    "prometheus_client": ["annotator/monitoring"],
    "onnxruntime": ["core/parsing"],
    "tokenizers": ["core/text", "core/parsing"],
    "sklearn": ["core/learning/logistic.py"],
    "spacy": ["core/parsing/external.py"],
    "stanza": ["core/parsing/external.py"],
    "optuna": ["lab/training/tuning.py"],
}
MAX_COLUMNS = 120  # of a template
ROWS_OF_VALUES = {"Bitext", "Item", "Sentence"}  # models named as the value they keep
ARCS = "core/trees/arcs.py"  # the same steps, on two kinds of trees
EDITS = ({ARCS, "core/trees/editing.py"}, {ARCS, "core/trees/stepping.py"})
WRITES = {"create", "bulk_create", "update", "delete", "save", "get_or_create"}


def floor_of(floors: list[set[str]], name: str) -> int | None:
    return next((n for n, folders in enumerate(floors) if name in folders), None)


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
            if dotted.split(".")[0] != top or folder_of(dotted) in ("", here):
                continue
            theirs = floor_of(floors, folder_of(dotted))
            if theirs is None or theirs > mine:
                yield f"{where(path)} imports {dotted}"


def test_core_imports_only_lower_floors() -> None:
    # A folder may import its neighbours on the same floor, never one above it.
    assert list(upward("core", CORE_FLOORS)) == []


def test_annotator_imports_only_lower_floors() -> None:
    assert list(upward("annotator", ANNOTATOR_FLOORS)) == []


def test_core_knows_nothing_of_the_web() -> None:
    offenders = [
        f"{where(path)} imports {dotted}"
        for path in modules("core")
        for dotted in imports(path)
        if dotted.split(".")[0] in ("annotator", "django", "rest_framework", "celery")
    ]
    assert offenders == []


def test_views_and_api_do_not_import_each_other() -> None:
    folders = {"views", "api", "management", "tasks"}
    offenders = [
        f"{where(path)} imports {dotted}"
        for name in folders
        for path in modules(f"annotator/{name}")
        for dotted in imports(path)
        if dotted.startswith("annotator.") and folder_of(dotted) in folders - {name}
    ]
    # The API's table of contents serves its own description page.
    assert [f for f in offenders if not f.startswith("annotator/api/urls.py")] == []


@pytest.mark.parametrize("library", sorted(DOORS))
def test_each_library_has_one_door(library: str) -> None:
    doors = DOORS[library]
    offenders = [
        f"{where(path)} imports {dotted}"
        for top in ("core", "annotator")
        for path in modules(top)
        for dotted in imports(path)
        if dotted.split(".")[0] == library
        and not any(where(path).startswith(door) for door in doors)
    ]
    assert offenders == []


def test_what_is_compiled_stands_in_folders_of_kernels() -> None:
    compiled = (
        path for path in modules("core") if "core.compiled.njit" in imports(path)
    )
    assert {path.parent.name for path in compiled} == {"kernels"}


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
    offenders = [
        f"{where(path)} imports {dotted}"
        for top in ("core", "annotator")
        for path in modules(top)
        for dotted in imports(path)
        if f"{dotted}.".startswith(tuple(f"{name}." for name in fetching))
    ]
    # The language model's address comes from the environment alone.
    # ``up`` looks whether its port is free, then whether somebody answers there. The
    # engine process is reached by a socket in the file system.
    assert sorted(offenders) == [
        "annotator/management/commands/serve_engine.py imports socket",
        "annotator/management/commands/up.py imports socket",
        "annotator/management/crew.py imports socket",
        "annotator/serving/engine.py imports socket",
        "annotator/serving/language_model.py imports http.client",
    ]


def test_only_services_write_rows() -> None:
    offenders = []
    for top in ("annotator/views", "annotator/api", "annotator/management"):
        for path in modules(top):
            offenders += [f"{where(path)}:{line}" for line in _writes(path)]
    assert offenders == []


def _writes(path: Path) -> Iterator[int]:
    """Lines with ``….objects.….create()`` and its like, or ``….save()`` of a row."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        text = ast.unparse(node.func)
        if node.func.attr in WRITES and ".objects" in text:
            yield node.lineno


def test_nothing_imports_the_laboratory() -> None:
    offenders = [
        f"{where(path)} imports {dotted}"
        for top in ("core", "annotator", "tests")
        for path in modules(top)
        for dotted in imports(path)
        if dotted.split(".")[0] == "lab"
    ]
    assert offenders == []


def test_a_class_name_means_one_thing() -> None:
    """A class within another is met by both names: Job.State is not Pair.State."""
    places = defaultdict(set)
    for top in ("core", "annotator", "tests", "tools"):
        for path in modules(top):
            for name in _classes(ast.parse(path.read_text())):
                places[name].add(where(path))
    forced = {"Command"}  # django-admin looks for this name in each of its modules
    shared = {
        name
        for name, files in places.items()
        if len(files) > 1 and files not in EDITS and name not in forced
    }
    assert shared == ROWS_OF_VALUES
    for name in ROWS_OF_VALUES:
        row, value = sorted(places[name])
        assert row.startswith("annotator/models/")
        assert value.startswith("core/")


def _classes(node: ast.AST, within: str = "") -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield f"{within}{child.name}"
            yield from _classes(child, f"{within}{child.name}.")
        elif not isinstance(child, ast.expr):
            yield from _classes(child, within)


def test_lines_of_templates_stay_short() -> None:
    offenders = [
        f"{where(path)}:{number}: {len(line)} columns"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > MAX_COLUMNS
    ]
    assert offenders == []


def test_no_inline_script_or_style_in_templates() -> None:
    bad = ("style=", "onclick=", "onload=", "onchange=", "<style", "javascript:")
    offenders = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for word in bad
        if word in path.read_text()
    ]
    assert offenders == []


def test_the_drawing_of_the_house_is_up_to_date() -> None:
    is_true = house.PATH.read_text(encoding="utf-8") == house.drawing()
    assert is_true, "imports have changed: python -m tools.house draws them anew"
