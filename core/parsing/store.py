"""Model folders: a manifest, ONNX weights, a tokenizer, label sets; never pickles.

manifest.json   name, version, languages, licence, files with SHA-256, data, scores
labels.json     what the model can say
model.onnx      weights          tokenizer.json   word pieces
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import Unavailable

FORMAT = 1
MANIFEST = "manifest.json"
NEEDED = ("labels.json", "model.onnx", "tokenizer.json")
_REMEDY = "export the model again with `python -m lab.training export`"


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder whose manifest has been read, not yet its weights."""

    path: Path
    manifest: Mapping[str, Any]

    def file(self, name: str) -> Path:
        """The path of ``name``; raises Unavailable if it differs from the manifest."""
        listed = self.manifest["files"].get(name)
        path = self.path / name
        if listed is None or not path.is_file():
            raise Unavailable(f"{path}: missing; {_REMEDY}")
        if sha256_of(path) != listed["sha256"]:
            raise Unavailable(f"{path}: differs from {MANIFEST} (SHA-256); {_REMEDY}")
        return path

    def json(self, name: str) -> Any:
        """The content of a listed JSON file."""
        return json.loads(self.file(name).read_text(encoding="utf-8"))


def open_folder(path: Path, *, needed: Sequence[str] = NEEDED) -> ModelFolder:
    """The model folder at ``path``, with the files ``needed`` in its manifest.

    Raises Unavailable saying what is wrong with it.
    """
    manifest_path = path / MANIFEST
    if not manifest_path.is_file():
        raise Unavailable(f"{path} is not a model folder: it has no {MANIFEST}")
    try:
        manifest = json.loads(manifest_path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Unavailable(f"{manifest_path}: not JSON: {error}; {_REMEDY}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise Unavailable(f"{manifest_path}: expected format {FORMAT}; {_REMEDY}")
    lacking = [key for key in ("name", "version", "files") if key not in manifest]
    lacking += [name for name in needed if name not in manifest.get("files", {})]
    if lacking:
        raise Unavailable(f"{manifest_path}: missing {', '.join(lacking)}; {_REMEDY}")
    return ModelFolder(path, manifest)


def write_manifest(
    path: Path, facts: Mapping[str, Any], *, files: Sequence[str] = NEEDED
) -> None:
    """Write the manifest of ``files``, now in ``path``, with ``facts`` next to them."""
    listed = {
        name: {
            "sha256": sha256_of(path / name),
            "bytes": (path / name).stat().st_size,
        }
        for name in files
    }
    text = json.dumps({"format": FORMAT, **facts, "files": listed}, indent=1)
    (path / MANIFEST).write_text(text + "\n", encoding="utf-8")


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
