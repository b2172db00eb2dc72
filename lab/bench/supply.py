"""What a release is made of, and whether any of it is known to be weak.

    python -m lab bench supply sbom > gemel.cdx.json     CycloneDX 1.5, from the lock
    python -m lab bench supply audit                     needs pip-audit and an index

``audit`` ends with 1 if a locked package has a known weakness that is not let pass
below, and says loudly that it did nothing where no index answers.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotator import __version__

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements-server.lock"  # holds requirements.lock
LET_PASS: dict[str, str] = {}  # id of an advisory: why it does not touch us, until when
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def locked(lock: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield name, version and digests of each package."""
    pins = list(_PINNED.finditer(lock))
    ends = [one.start() for one in pins[1:]] + [len(lock)]
    for one, end in zip(pins, ends, strict=True):
        yield one[1].lower(), one[2], _HASH.findall(lock[one.end() : end])


def sbom(lock: str) -> dict[str, Any]:
    """Return the bill of materials."""
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{name}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:pypi/{name}@{version}",
            "hashes": [{"alg": "SHA-256", "content": one} for one in digests],
        }
        for name, version, digests in locked(lock)
    ]
    root = {"type": "application", "name": "gemel", "version": __version__}
    refs = [one["bom-ref"] for one in components]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": root | {"bom-ref": "gemel"}},
        "components": components,
        "dependencies": [{"ref": "gemel", "dependsOn": refs}],
    }


def verdict(output: str) -> tuple[int, str]:
    """Return exit status and text for the output of pip-audit."""
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return 0, "SKIPPED: no index of advisories answered; NOTHING WAS CHECKED."
    weak = [
        f"{one['name']} {one['version']}: {told['id']}"
        f" (mended in {', '.join(told['fix_versions']) or 'no release yet'})"
        for one in packages
        for told in one.get("vulns", [])
        if told["id"] not in LET_PASS
    ]
    if weak:
        return 1, "Known weaknesses:\n" + "\n".join(weak)
    return 0, f"{len(packages)} packages, none with a known weakness."


def audit() -> int:
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", "-r", str(LOCK), "--disable-pip",
         "--no-deps", "--format=json", "--progress-spinner=off", "--timeout=15"],
        capture_output=True, text=True,
    )  # fmt: skip
    status, words = verdict(done.stdout)
    print(words, file=sys.stderr)
    if words.startswith("SKIPPED"):
        print(done.stderr[-800:], file=sys.stderr)
    return status


if __name__ == "__main__":
    if sys.argv[1:] == ["audit"]:
        sys.exit(audit())
    print(json.dumps(sbom(LOCK.read_text()), indent=1))
