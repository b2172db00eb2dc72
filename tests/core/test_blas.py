"""Threads of BLAS: one, unless somebody wants more."""

import json
import os
import subprocess
import sys

import pytest

SHOW = """
import json, {module}, numpy
from threadpoolctl import threadpool_info
print(json.dumps([one["num_threads"] for one in threadpool_info()
                  if one["internal_api"] == "openblas"]))
"""


def _threads(module: str, **more: str) -> list[int]:
    pytest.importorskip("threadpoolctl")
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
    bare = {name: value for name, value in os.environ.items() if name not in names}
    done = subprocess.run(
        [sys.executable, "-c", SHOW.format(module=module)],
        env=bare | more,
        capture_output=True,
        text=True,
        check=True,
    )
    threads: list[int] = json.loads(done.stdout)
    if not threads:
        pytest.skip("numpy comes without OpenBLAS here")
    return threads


@pytest.mark.parametrize("module", ["core.__main__", "annotator"])
def test_one_thread_of_blas_computes_small_tables(module: str) -> None:
    assert set(_threads(module)) == {1}


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core has one thread")
def test_who_wants_more_threads_of_blas_has_them() -> None:
    assert set(_threads("core.__main__", OPENBLAS_NUM_THREADS="2")) == {2}
