"""``release verify``: whether a release is unchanged."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from core.errors import FormatError
from core.releases.verifying import verify

HELP = "verify the seal, digests and ledger of a release, and replay the ledger"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="zip file of the release")
    parser.add_argument("--seal", default="", help="published seal to compare with")


def run(options: Mapping[str, Any], say: Callable[[str], None]) -> dict[str, Any]:
    """Facts of a whole release. Raises FormatError naming what is wrong with it."""
    verified = verify(options["file"])
    if options["seal"] and options["seal"].casefold() != verified.seal:
        raise FormatError(
            f"the seal is {verified.seal}, not the one given",
            remedy="this is another release, or another copy of it",
        )
    if verified.faults:
        for fault in verified.faults:
            say(str(fault))
        raise FormatError(
            f"{options['file'].name} is not what was sealed: {verified.faults[0]}",
            remedy="ask its maker for the release again",
        )
    manifest = verified.manifest
    return {
        "release": manifest.title,
        "made": manifest.made_at,
        "seal": verified.seal,
        "acts": manifest.ledger_length,
        "files": len(manifest.files),
        "counts": dict(manifest.counts),
        "licences": dict(manifest.licences),
        "warnings": list(manifest.warnings),
    }


def lines(results: dict[str, Any]) -> Iterator[str]:
    yield f"{results['release']}, made {results['made']}: whole"
    yield f"seal   {results['seal']}"
    yield f"files  {results['files']}, ledger of {results['acts']} acts"
    for name, n in results["counts"].items():
        yield f"{n:>8}  {name}"
    for corpus, licence in results["licences"].items():
        yield f"{corpus}: {licence or 'no licence stated'}"
    for warning in results["warnings"]:
        yield f"known when it was made: {warning}"
