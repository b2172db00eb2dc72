"""Kernels, compiled on their first call: the only module that imports numba.

numba and LLVM take 55 MB and a tenth of a second to import, and most processes never
call a kernel. So ``njit`` only notes what is to be compiled. The first call of any
kernel hands over all that are known to numba, and puts the compiled functions into the
modules of kernels, where they find each other by name.
"""

import functools
import hashlib
import threading
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any


class _Kernel:
    """A function that numba has not seen yet. Called, it is as fast as the compiled
    one but for one call in Python.

    ``compiled`` is there once the functions that it calls are, too.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function, self._options = function, options
        self._made: Any = None
        self.compiled: Callable[..., Any] | None = None
        functools.update_wrapper(self, function)

    def __call__(self, *values: Any) -> Any:
        if self.compiled is None:
            _hand_over()
            assert self.compiled is not None
        return self.compiled(*values)

    def make(self, numba: Any) -> None:
        self._made = numba.njit(**self._options)(self._function)

    def resolve(self) -> None:
        """Let what the function calls by name be what numba knows."""
        names = self._function.__globals__
        for name, value in list(names.items()):
            if isinstance(value, _Kernel):
                names[name] = value._made

    def publish(self) -> None:
        self.compiled = self._made


_waiting: list[_Kernel] = []
_lock = threading.Lock()
_at_work: list[object] = []  # what numba compiles, what is called by it as well
_watches: list[Any] = []  # numba's listener, once numba is there


def is_compiling() -> bool:
    """Whether a kernel is being compiled in this process, which happens once after an
    installation and takes up to a minute; what was compiled is kept on the disk."""
    return bool(_at_work)


def fingerprint() -> str:
    """A digest of kernels and numba: where it is new, kernels are compiled again."""
    digest = hashlib.sha256(metadata.version("numba").encode())
    for path in sorted(Path(__file__).parent.glob("*/kernels/*.py")):
        digest.update(f"{path} {path.stat().st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit`` with these options, later. Arguments of calls are positional."""

    def decorate(function: Callable[..., Any]) -> Any:
        _waiting.append(kernel := _Kernel(function, options))
        return kernel

    return decorate


def _hand_over() -> None:
    """Everything that waits; modules may be imported, and wait, at any later time."""
    import numba
    from numba.core import event

    class Watch(event.Listener):  # type: ignore[misc]  # numba has no types
        def on_start(self, event: Any) -> None:
            _at_work.append(event)

        def on_end(self, event: Any) -> None:
            _at_work.pop()

    with _lock:
        if not _watches:
            _watches.append(Watch())
            event.register("numba:compile", _watches[0])
        kernels = list(_waiting)
        for kernel in kernels:
            kernel.make(numba)
        for kernel in kernels:
            kernel.resolve()
        for kernel in kernels:
            kernel.publish()
        del _waiting[: len(kernels)]
