"""A parser and its linking corpus as a model folder."""

import json
from pathlib import Path

import pytest

from core.errors import Unavailable
from core.parsing import registry
from core.parsing.store import write_manifest
from core.substitution import folder
from core.substitution.linking import save
from core.substitution.options import Options
from tests import small_pcfg
from tests.core.substitution.flat import TEXT


def made(path: Path, **facts: object) -> Path:
    """A folder that names the PCFG beside it; ``facts`` go into its manifest."""
    small_pcfg.written(path.parent / "small")
    path.mkdir()
    save(TEXT, path / "linking.npz")
    about: dict[str, object] = {"name": path.name, "version": "1", **facts}
    start = {"kind": "substitution", "parser": "small", "options": {}}
    write_manifest(path, start | about, files=folder.FILES)
    return path


def test_a_folder_is_a_parser_of_the_registry(tmp_path: Path) -> None:
    made(tmp_path / "helped")
    parser = registry.load("helped", tmp_path)
    assert parser.info.name == "helped"
    assert "small with substitution" in parser.info.note
    assert "helped" in registry.names(tmp_path)
    assert parser.analyse([], want=frozenset()) == []


def test_a_parser_that_hides_its_words_makes_no_folder(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="does not list its training words"):
        folder.write(tmp_path / "new", "english", TEXT, Options())
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"options": {"f_q": 5, "f_c": 2}}, "f_q <= f_c"),
        ({"options": {"colour": 1}}, "unknown options: colour"),
        ({"parser": "x"}, "names itself"),
        ({"parser": "nobody"}, "no parser 'nobody'"),
    ],
)
def test_a_bad_manifest_is_named(
    tmp_path: Path, facts: dict[str, object], why: str
) -> None:
    path = made(tmp_path / "x", **facts)
    with pytest.raises(Unavailable, match=why):
        registry.at(path)


def test_counts_that_were_changed_are_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "x")
    (path / "linking.npz").write_bytes(b"other")
    parser = folder.LinkedParser(path)
    with pytest.raises(Unavailable, match="SHA-256"):
        _ = parser.substituting


def test_what_was_chosen_comes_back(tmp_path: Path) -> None:
    path = made(tmp_path / "x", options={"method": "doubt", "f_c": 9})
    assert folder.LinkedParser(path).options == Options(method="doubt", f_c=9)
    assert json.loads((path / "manifest.json").read_text())["kind"] == folder.KIND
