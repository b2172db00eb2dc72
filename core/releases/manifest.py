"""The manifest of a release: what is in it, and the seal over that.

The seal is the SHA-256 of the manifest without it. Published apart from the file (in a
paper, on a page), it says of any copy whether it is the one that was sealed.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from core.errors import FormatError
from core.formats import json_text
from core.releases.ledger import canonical

FORMAT, VERSION, NAME = "gemel-release", 1, "release.json"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """``sha256`` in hexadecimal digits; ``size`` in bytes."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """``counts``: what there is of what; ``ledger_head``: digest of the last entry;
    ``licences``: by corpus; ``warnings``: what was known against it, and accepted."""

    project: str
    title: str
    made_at: str
    files: Mapping[str, FileFacts]
    counts: Mapping[str, int]
    licences: Mapping[str, str]
    ledger_head: str
    ledger_length: int
    warnings: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def seal(self) -> str:
        return hashlib.sha256(canonical(self._members())).hexdigest()

    def _members(self) -> dict[str, Any]:
        members = asdict(self) | {"warnings": list(self.warnings)}
        return {"format": FORMAT, "version": VERSION, **members}

    def dump(self) -> str:
        """As ``release.json`` holds it."""
        whole = {**self._members(), "seal": self.seal}
        return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    @classmethod
    def load(cls, text: str) -> "Manifest":
        """Inverse of ``dump``. Raises FormatError on what is no manifest, or not the
        one that was sealed."""
        try:
            fields = json_text.loads(text, unique=True)
            if fields.pop("format") != FORMAT or fields.pop("version") != VERSION:
                raise _error("not a release of version 1", "update Gemel")
            seal = fields.pop("seal")
            files = {
                name: FileFacts(**one) for name, one in fields.pop("files").items()
            }
            warnings = tuple(fields.pop("warnings"))
            made = cls(files=files, warnings=warnings, **fields)
            is_sealed = made.seal == seal
        except (ValueError, KeyError, TypeError, AttributeError, FormatError) as error:
            raise _error(f"not a manifest: {error}", "get it again") from error
        if not is_sealed:
            raise _error(
                "the seal does not match this manifest", "download the release again"
            )
        return made


def _error(reason: str, remedy: str) -> FormatError:
    return FormatError(f"{NAME}: {reason}", remedy=remedy)
