"""Kernels are handed to numba by the first call, and find each other then."""

import subprocess
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from core import compiled

TEXT = """
from core.compiled import njit
{imports}

@njit(cache=False)
def {name}(x):
    return {body}
"""


def module(name: str, body: str, imports: str = "") -> Callable[..., Any]:
    """The kernel of a module that is made for this."""
    made = ModuleType(name)
    sys.modules[name] = made
    exec(TEXT.format(imports=imports, name=name, body=body), made.__dict__)
    kernel: Callable[..., Any] = made.__dict__[name]
    return kernel


def test_kernels_call_each_other_whenever_their_modules_are_imported() -> None:
    module("first", "x + 1")
    assert module("second", "first(x) * 2", "from first import first")(3) == 8
    third = module("third", "second(x) + first(x)", "from second import *")
    assert third(3) == 12
    assert third(np.float32(0.5)) == pytest.approx(4.5)


def test_threads_that_call_first_at_once_all_get_the_answer() -> None:
    module("inner", "x + 1")
    outer = module("outer", "inner(x) * 2", "from inner import inner")
    start = threading.Barrier(8)
    answers: list[int] = []

    def call() -> None:
        start.wait()
        answers.append(outer(4))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [10] * 8


@pytest.mark.slow
def test_whoever_waits_can_see_that_a_kernel_is_compiled() -> None:
    slow = module("slow", "sorted([x, -x])[0]")
    thread = threading.Thread(target=slow, args=(4,))
    thread.start()
    seen = False
    while thread.is_alive():
        seen = seen or compiled.is_compiling()
    assert seen
    assert not compiled.is_compiling()


def test_a_kernel_keeps_name_and_docstring() -> None:
    @compiled.njit(cache=False)
    def half(x: float) -> float:
        """Half of it."""
        return x / 2

    assert (half.__name__, half.__doc__) == ("half", "Half of it.")
    assert half(3.0) == 1.5


LARGE = ("numba", "llvmlite", "nltk", "duckdb", "reportlab", "svglib", "resvg_py",
         "onnxruntime", "tokenizers", "openpyxl", "sklearn")  # fmt: skip


@pytest.mark.parametrize(
    "what",
    [
        "import core.itg.scores, core.joint_parsing.parser, core.pivoting.bitext",
        "import os, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'annotator.settings'"
        "; django.setup(); import annotator.urls, annotator.tasks, annotator.jobkinds",
    ],
)
def test_nothing_large_is_imported_before_it_is_used(what: str) -> None:
    """Each process of a server would hold it."""
    words = f"{what}; import sys; print([one for one in {LARGE} if one in sys.modules])"
    run = [sys.executable, "-c", words]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
