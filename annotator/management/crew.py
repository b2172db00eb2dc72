"""Keeps web server and worker running, with a small memory of its own.

``manage.py up`` hands its process over to this (``become``), with orders in a pipe: all
that Django took is given back. Only the standard library is imported here.
"""

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

WEB = "web server"
ENGINE = "engine"  # sleeps until the first connection to its socket
KERNELS = "compiler of kernels"  # once after an installation, behind the first page
PLACE = "GEMEL_ENGINE"  # the environment variable that names this socket
ASK_S = 0.1  # whether the web server responds yet
PAUSE_S = 2.0  # before a start after a quick death; doubled with each
LONGEST_PAUSE_S = 60.0
QUICK_DEATH_S = 10.0
MAX_QUICK_DEATHS = 3  # of the web server before it has ever answered


@dataclass(frozen=True, slots=True)
class Orders:
    """``commands`` by name, run in ``folder``; ``lines`` are printed when the web
    server answers at ``host`` and ``port``.

    ``early``: of processes that wait for the place of the engine, the process id and
    the pipe to tell them."""

    commands: dict[str, list[str]]
    host: str
    port: int
    lines: list[str]
    folder: str
    early: dict[str, tuple[int, int]]


def call_this_process(name: str) -> None:
    """Show this name, which lists of processes have, where the system lets one."""
    with contextlib.suppress(OSError), open("/proc/self/comm", "w") as called:
        called.write(name)


def become(orders: Orders) -> None:
    """This process from now on; open files that may be inherited stay open."""
    reading, writing = os.pipe()
    os.write(writing, json.dumps(asdict(orders)).encode())  # far less than a pipe holds
    os.close(writing)
    os.set_inheritable(reading, True)  # noqa: FBT003 - as the library has it
    os.chdir(orders.folder)
    words = [sys.executable, "-m", "annotator.management.crew", str(reading)]
    os.execv(sys.executable, words)  # noqa: S606 - our own command line


def main() -> None:
    with os.fdopen(int(sys.argv[1])) as pipe:
        orders = Orders(**json.load(pipe))
    crew = Crew(orders.folder)
    if engine := orders.commands.pop(ENGINE, None):
        crew.listen_for(ENGINE, engine)
    kernels = orders.commands.pop(KERNELS, None)
    for name, command in orders.commands.items():
        if name in orders.early:
            crew.adopt(name, command, *orders.early[name])
        else:
            crew.start(name, command)
    is_web = WEB in orders.commands
    crew.keep(
        ready=lambda: not is_web or _answers(orders.host, orders.port),
        lines=orders.lines,
        then={KERNELS: kernels} if kernels else {},
    )


class _Adopted:
    """A child that this process forked before it became the crew, as a ``Popen``."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode

    def wait(self, seconds: float) -> int:
        limit = time.monotonic() + seconds
        while (code := self.poll()) is None:
            if time.monotonic() > limit:
                raise subprocess.TimeoutExpired([WEB], seconds)
            time.sleep(ASK_S)
        return code

    def terminate(self) -> None:
        os.kill(self.pid, signal.SIGTERM)


class Crew:
    """Child processes, kept alive until a signal says stop.

    One that dies again and again is started after ever longer pauses, whatever the
    others do: people go on judging while no worker can be kept. Between two events
    this process sleeps: a signal, also that of a child that ends, writes to a pipe.

    The engine starts with the first connection to its socket, which is kept here: it
    may end at any time, and connections meanwhile wait for the next one.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._commands: dict[str, list[str]] = {}
        self._children: dict[str, subprocess.Popen[bytes] | _Adopted] = {}
        self._born: dict[str, float] = {}
        self._due: dict[str, float] = {}  # when those that died are started again
        self._quick_deaths: dict[str, int] = {}
        self._stopping = False
        self._listening: socket.socket | None = None
        self._place = ""
        self._signals, writing = os.pipe()
        os.set_blocking(self._signals, False)
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # ignored signals wake no one
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)

    def listen_for(self, name: str, command: list[str]) -> None:
        """Start ``command``, with the number of a listening socket, when needed."""
        self._listening = socket.socket(socket.AF_UNIX)
        folder = tempfile.mkdtemp(prefix="gemel-")  # 0700, and a short path
        self._place = os.environ[PLACE] = os.path.join(folder, "engine")
        self._listening.bind(self._place)
        self._listening.listen(64)
        self._commands[name] = [*command, str(self._listening.fileno())]

    def start(self, name: str, command: list[str]) -> None:
        self._commands[name] = command
        self._born[name] = time.monotonic()
        # In its own session, so that Ctrl-C reaches the children through us, in order.
        self._children[name] = subprocess.Popen(  # noqa: S603 - our own command line
            command,
            cwd=self._folder,
            start_new_session=True,
            pass_fds=[self._listening.fileno()]
            if self._listening and name == ENGINE
            else [],
        )

    def adopt(self, name: str, command: list[str], pid: int, waits_at: int) -> None:
        """Let a child go on that waits for a line at this pipe; later ``command``."""
        self._commands[name] = command
        self._born[name] = time.monotonic()
        self._children[name] = _Adopted(pid)
        with os.fdopen(waits_at, "w") as pipe, contextlib.suppress(BrokenPipeError):
            pipe.write(f"{self._place}\n")

    def keep(
        self,
        *,
        ready: Callable[[], bool],
        lines: list[str],
        then: dict[str, list[str]] | None = None,
    ) -> None:
        """Print ``lines`` once the web server answers, and start ``then``; restart what
        dies; stop on a signal."""
        while not self._stopping:
            if lines and ready():
                self._say("\n" + "\n".join(lines) + "\n")
                lines = []
                for name, command in (then or {}).items():
                    self.start(name, command)
            for name, child in list(self._children.items()):
                if child.poll() is not None and not self._stopping:
                    self._revive(name, child.returncode or 0, served=not lines)
            self._sleep(ASK_S if lines else None)
        self._end()

    def _sleep(self, at_most: float | None) -> None:
        """Wait until a signal, until a child is due, or for this many seconds."""
        now = time.monotonic()
        limits = [max(0.0, due - now) for due in self._due.values()]
        if at_most is not None:
            limits.append(at_most)
        if self._stopping:  # the signal may have come before this line
            return
        waited: list[Any] = [self._signals]
        if self._listening and not {ENGINE} & (self._children.keys() | self._due):
            waited.append(self._listening)
        ready = select.select(waited, [], [], min(limits, default=None))[0]
        if self._listening in ready:
            self.start(ENGINE, self._commands[ENGINE])
        with contextlib.suppress(BlockingIOError):
            os.read(self._signals, 4096)

    def _revive(self, name: str, code: int, *, served: bool) -> None:
        now = time.monotonic()
        # It was idle, or had grown; what is not compiled ahead is compiled later.
        if (name == ENGINE and code == 0) or name == KERNELS:
            del self._children[name]
            return
        if name not in self._due:
            quick = now - self._born[name] < QUICK_DEATH_S
            deaths = self._quick_deaths.get(name, 0) + 1 if quick else 0
            self._quick_deaths[name] = deaths
            if name == WEB and deaths >= MAX_QUICK_DEATHS and not served:
                self._end()
                sys.exit(
                    f"CommandError: The {name} ended {deaths} times right after its "
                    f"start (code {code}); its messages are above."
                )
            pause = min(PAUSE_S * 2 ** (deaths - 1), LONGEST_PAUSE_S) if deaths else 0
            self._due[name] = now + pause
            self._say(
                f"The {name} ended (code {code}); starting it again in {pause:.0f} s."
            )
        if now >= self._due[name]:
            del self._due[name]
            if name == ENGINE:
                del self._children[name]  # the next connection starts it
            else:
                self.start(name, self._commands[name])

    def _say(self, text: str) -> None:
        """Where nothing can be written (a full disk), we go on without a word."""
        with contextlib.suppress(OSError):
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _end(self) -> None:
        self._stopping = True
        self._say("Stopping ...")
        for child in self._children.values():
            if child.poll() is None:
                child.terminate()
        limit = time.monotonic() + 10
        for child in self._children.values():
            try:
                child.wait(max(0.1, limit - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
        if self._place:
            shutil.rmtree(os.path.dirname(self._place), ignore_errors=True)
        self._say("Stopped.")


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=0.2):
            return True
    except OSError:
        return False


if __name__ == "__main__":
    main()
