"""The broker in a folder: kombu's own, made safe against a full disk and a kill.

A message is written aside and renamed, so that none is ever read half-written; one that
cannot be read all the same is put away in ``broker/broken`` and named in the log.
"""

import logging
import os
import time
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import uuid4

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

log = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """Messages and tables of exchanges, each written whole or not at all."""

    def get_table(self, exchange: str) -> list[Any]:
        path = Path(self._exchange_file(exchange))
        try:
            return [
                filesystem.exchange_queue_t(*row) for row in loads(path.read_bytes())
            ]
        except FileNotFoundError:
            return []
        except (ValueError, TypeError):
            _put_away(path)
            return []

    def _queue_bind(
        self, exchange: str, routing_key: str, pattern: str, queue: str
    ) -> None:
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        table = self.get_table(exchange)
        if row not in table:
            _write(Path(self._exchange_file(exchange)), dumps([row, *table]))

    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:
        folder = Path(self.data_folder_out)
        # Thirteen digits until 2286, so that names sort by age, across restarts too.
        name = f"{time.time_ns() // 10**6}_{uuid4()}.{queue}.msg"
        _write(folder / name, dumps(payload))

    def _get(self, queue: str) -> Any:
        """The oldest message. It is ours once we have renamed it."""
        folder = Path(self.data_folder_in)
        for name in sorted(os.listdir(folder)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f"{name}.taken"
            try:
                (folder / name).rename(taken)
                text = taken.read_bytes()
            except OSError:  # another worker was faster
                continue
            try:
                payload = loads(text)
            except (ValueError, TypeError):
                _put_away(taken)
                continue
            taken.unlink(missing_ok=True)
            return payload
        raise Empty


class Transport(filesystem.Transport):
    Channel = Channel


def _write(path: Path, text: str) -> None:
    aside = path.with_name(f".{uuid4().hex}.part")
    try:
        aside.write_bytes(text.encode())
        aside.rename(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise ChannelError(f"{path.name} cannot be written: {error}") from error


def _put_away(path: Path) -> None:
    """Out of the way of the living, for anyone who wants to know."""
    broken = path.parent.parent / "broken"
    broken.mkdir(mode=0o700, exist_ok=True)
    target = broken / path.name
    path.replace(target)
    log.error("a broken message was put away: %s", target)
