"""The wheel and the sdist of the last commit, the same bytes wherever they are made.

    python -m tools.wheel [--out dist]

What git has is unpacked into a new folder, so that nothing else comes in; times, modes
and order depend on the commit alone (SOURCE_DATE_EPOCH). Prints a line for each file
as ``sha256sum`` does. The builder counts, too: the hatchling of requirements-dev.lock.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UMASK = 0o022  # files are 0644 or 0755, anyone who builds


def build(out: Path, repository: Path = ROOT) -> list[Path]:
    """Build sdist and wheel of ``HEAD`` in ``out``, which is created if absent."""
    out.mkdir(parents=True, exist_ok=True)
    before = os.umask(UMASK)
    try:
        with tempfile.TemporaryDirectory() as folder:
            source, made = Path(folder) / "source", Path(folder) / "made"
            _unpack(repository, source)
            subprocess.run(
                [sys.executable, "-m", "hatchling", "build", "-d", str(made)],
                cwd=source,
                env=os.environ | {"SOURCE_DATE_EPOCH": _committed_at(repository)},
                check=True,
                stdout=subprocess.DEVNULL,
            )
            return [_kept(path, out) for path in sorted(made.iterdir())]
    finally:
        os.umask(before)


def _committed_at(repository: Path) -> str:
    """Return the time of the commit in seconds since 1970."""
    command = ["git", "-C", str(repository), "log", "-1", "--format=%ct"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _unpack(repository: Path, folder: Path) -> None:
    archive = folder.with_suffix(".tar")
    command = ["git", "-C", str(repository), "-c", "tar.umask=0022", "archive", "HEAD"]
    with archive.open("wb") as file:
        subprocess.run(command, check=True, stdout=file)
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="tar")
    archive.unlink()


def _kept(path: Path, out: Path) -> Path:
    target = out / path.name
    target.write_bytes(path.read_bytes())
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("dist"))
    for path in build(parser.parse_args().out):
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path}")


if __name__ == "__main__":
    main()
