"""The kernels that several files of tests call, compiled once for all of them."""

import sys
import tempfile
from pathlib import Path

import gemel
from annotator.management.commands.compile_kernels import compile_all
from core.word_alignment.bilingual import align_bitext
from tests import small_pcfg
from tests.core.pivoting.test_table import built


def of_small_models() -> None:
    """Those that no model of an installation needs."""
    align_bitext(["the sea"], ["das Meer"])
    with tempfile.TemporaryDirectory() as place:
        built(Path(place)).close()
        model = small_pcfg.written(Path(place) / small_pcfg.NAME)
        gemel.parse("she slept", parser=str(model)).trees(2)


PARTS = {"product": compile_all, "tests": of_small_models}


def main(part: str, sign: Path) -> None:
    """``sign``: a file that is made at the end, however it came."""
    try:
        PARTS[part]()
    finally:
        sign.touch()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
