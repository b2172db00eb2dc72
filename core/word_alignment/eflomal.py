"""The interface to eflomal (Östling & Tiedemann 2016), where it is installed.

``pip install gemel[eflomal]`` compiles it from source.
"""

import importlib.util
import tempfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import numpy as np

from core.data.check import Ints
from core.errors import Unavailable
from core.word_alignment.bilingual import BitextLinks, BitextSettings, Longs, symmetrise


def is_installed() -> bool:
    return importlib.util.find_spec("eflomal") is not None


def version() -> str:
    """Its version; raises Unavailable where it is not installed."""
    if not is_installed():
        raise Unavailable("eflomal is not installed: pip install gemel[eflomal]")
    return metadata.version("eflomal")


def align(
    pairs: Iterable[tuple[str, str]],
    *,
    settings: BitextSettings | None = None,
    folder: Path | None = None,
) -> BitextLinks:
    """The links of each pair of texts with spaces between tokens, letter case ignored.

    Of the settings the symmetrisation and ``max_tokens`` are used; a longer side is as
    an empty one. ``folder``: where scratch files go, some 100 bytes a pair. Raises
    Unavailable where eflomal is not installed. Its sampler differs from run to run.
    """
    version()
    rules = settings or BitextSettings()
    with tempfile.TemporaryDirectory(prefix="gemel-eflomal-", dir=folder) as scratch:
        folder = Path(scratch)
        at = _write(pairs, folder, rules.max_tokens)
        _run(folder)
        to_source = _read(folder / "forward", at[1], made=1)
        to_target = _read(folder / "backward", at[0], made=0)
    return symmetrise(to_source, to_target, at[0], at[1], rules)


def _write(
    pairs: Iterable[tuple[str, str]], folder: Path, max_tokens: int
) -> tuple[Longs, Longs]:
    """The texts, and where each pair's tokens begin."""
    ends: tuple[list[int], list[int]] = ([0], [0])
    with (
        (folder / "source").open("w") as first,
        (folder / "target").open("w") as second,
    ):
        for pair in pairs:
            sides = [side.lower().split() for side in pair]
            fits = all(0 < len(side) <= max_tokens for side in sides)
            for side, out, last in zip(sides, (first, second), ends, strict=True):
                out.write(" ".join(side if fits else ()) + "\n")
                last.append(last[-1] + len(side))
    return np.array(ends[0], dtype=np.int64), np.array(ends[1], dtype=np.int64)


def _run(folder: Path) -> None:
    from eflomal import Aligner  # compiled: only where it is installed

    with (folder / "source").open() as source, (folder / "target").open() as target:
        Aligner().align(
            source,
            target,
            links_filename_fwd=str(folder / "forward"),
            links_filename_rev=str(folder / "backward"),
            quiet=True,
        )


def _read(path: Path, at: Longs, *, made: int) -> Ints:
    """For each token of the side that is made the position behind it, -1 for none."""
    links = np.full(int(at[-1]), -1, dtype=np.int32)
    with path.open() as lines:
        for p, line in enumerate(lines):
            for link in line.split():
                ends = [int(end) for end in link.split("-")]
                links[at[p] + ends[made]] = ends[1 - made]
    return links
