"""Work that calls back, as a generator that a job can drive."""

import queue
import threading
from collections.abc import Callable, Generator
from typing import Generic, TypeVar

Message = TypeVar("Message")
Made = TypeVar("Made")


class _Given(Exception):
    """Nobody listens any more."""


class _Box(Generic[Message, Made]):
    def __init__(self) -> None:
        self.messages: queue.Queue[Message | None] = queue.Queue(maxsize=8)
        self.stop = threading.Event()
        self.made: list[Made] = []
        self.error: BaseException | None = None

    def tell(self, value: Message | None) -> None:
        while not self.stop.is_set():
            try:
                return self.messages.put(value, timeout=0.2)
            except queue.Full:
                continue
        raise _Given


def followed(
    work: Callable[[Callable[[Message], None]], Made],
) -> Generator[Message, None, Made]:
    """Run ``work(tell)`` in a thread of its own; yield what it tells, return what it
    returns, raise what it raises. Closed early, ``tell`` raises within the work, which
    must not touch the database."""
    box: _Box[Message, Made] = _Box()

    def run() -> None:
        try:
            box.made.append(work(box.tell))
        except BaseException as error:  # noqa: BLE001 (raised again, by the listener)
            box.error = error
        finally:
            if not box.stop.is_set():
                box.tell(None)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while (value := box.messages.get()) is not None:
            yield value
    finally:
        box.stop.set()
        thread.join()
    if box.error is not None:
        raise box.error
    return box.made[0]
