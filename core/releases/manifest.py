"""The manifest of a release: what is in it, the seal over that, and its ledger.

The seal is the SHA-256 of the manifest without it. Published apart from the file (in a
paper, on a page), it says of any copy whether it is the one that was sealed.

The ledger is a chain of acts: each entry holds the digest of the one before. So none
can be changed, left out or put in without changing the digest of all that follow, and
with it the seal (Haber and Stornetta 1991, "How to time-stamp a digital document").
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from core.errors import FormatError
from core.formats import json_text

FIRST = "0" * 64  # what the first entry names as the digest before it
_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
)
OWN = ("entry", "previous", "digest")


def canonical(value: Any) -> bytes:
    """One way to write a value as JSON, so that equal values have equal digests."""
    return _ENCODER.encode(value).encode()


class HashChain:
    """Adds ``entry`` (from 1), ``previous`` and ``digest`` to acts, in order."""

    def __init__(self) -> None:
        self.length, self.head = 0, FIRST

    def line(self, act: Mapping[str, Any]) -> str:
        """The act as the next entry, a line of JSON. Raises ValueError if it has a
        member that is reserved."""
        if taken := [name for name in OWN if name in act]:
            raise ValueError(f"{taken[0]} is reserved")
        entry = {**act, "entry": self.length + 1, "previous": self.head}
        self.head = hashlib.sha256(canonical(entry)).hexdigest()
        self.length += 1
        return canonical(entry | {"digest": self.head}).decode() + "\n"


def entries(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The acts of a chain, checked one by one.

    Raises FormatError at a line that is not an entry, or does not follow the last.
    """
    chain = HashChain()
    for number, line in enumerate(lines, 1):
        act = _act(line, number)
        given = {name: act.pop(name, None) for name in OWN}
        if given["previous"] != chain.head or given["entry"] != chain.length + 1:
            raise _broken(number, "does not follow from the line before it")
        chain.line(act)
        if given["digest"] != chain.head:
            raise _broken(number, "does not match its digest")
        yield act | given


def _act(line: str, number: int) -> dict[str, Any]:
    try:
        act = json_text.loads(line, line=number, unique=True)
    except FormatError as error:
        raise _broken(number, f"cannot be read: {error.reason}") from error
    if not isinstance(act, dict):
        raise _broken(number, "is not an object")
    return act


def _broken(number: int, reason: str) -> FormatError:
    remedy = "ask its maker for the release again"
    return FormatError(f"this entry {reason}", line=number, column=1, remedy=remedy)


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
        """In the form of ``release.json``."""
        whole = {**self._members(), "seal": self.seal}
        return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    @classmethod
    def load(cls, text: str) -> "Manifest":
        """Inverse of ``dump``. Raises FormatError on anything that is not a manifest,
        or not the sealed one."""
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
