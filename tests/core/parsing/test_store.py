"""Model folders are read only if they are what their manifest says."""

import json
from pathlib import Path

import pytest

from core.errors import Unavailable
from core.parsing.store import open_folder, sha256_of, write_manifest

FACTS = {"name": "toy", "version": "1", "languages": ["en"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("labels.json", "model.onnx", "tokenizer.json"):
        (tmp_path / name).write_text('["content"]')
    write_manifest(tmp_path, FACTS)
    return tmp_path


def test_what_was_written_is_read(folder: Path) -> None:
    opened = open_folder(folder)
    assert opened.manifest["name"] == "toy"
    assert opened.json("labels.json") == ["content"]
    assert opened.manifest["files"]["model.onnx"]["sha256"] == sha256_of(
        folder / "model.onnx"
    )


def test_a_changed_file_is_refused_by_its_name(folder: Path) -> None:
    (folder / "model.onnx").write_text("other weights")
    with pytest.raises(Unavailable, match=r"model\.onnx: differs"):
        open_folder(folder).file("model.onnx")


def test_a_missing_file_is_refused_by_its_name(folder: Path) -> None:
    (folder / "labels.json").unlink()
    with pytest.raises(Unavailable, match=r"labels\.json: missing"):
        open_folder(folder).json("labels.json")


def test_a_file_beside_the_manifest_is_not_read(folder: Path) -> None:
    (folder / "more.json").write_text("{}")
    with pytest.raises(Unavailable, match="missing"):
        open_folder(folder).file("more.json")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "expected format 1"),
        ('{"format": 99}', "expected format 1"),
        ('{"format": 1, "name": "x"}', "missing version, files"),
    ],
)
def test_a_bad_manifest_is_refused_with_the_reason(
    folder: Path, text: str, reason: str
) -> None:
    (folder / "manifest.json").write_text(text)
    with pytest.raises(Unavailable, match=reason):
        open_folder(folder)


def test_a_manifest_without_weights_is_refused(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["files"]["model.onnx"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(Unavailable, match=r"missing model\.onnx"):
        open_folder(folder)


def test_a_folder_without_manifest_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="not a model folder"):
        open_folder(tmp_path)
