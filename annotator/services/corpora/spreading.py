"""Pieces of large text, made by the workers of this installation.

The files are the truth, a message only asks: a piece that does not come is asked for
again, and one that comes twice is the same. Workers reach the folder below
``GEMEL_SHARED``, wherever it is mounted there.
"""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from django.conf import settings

from annotator import celery, disk
from annotator.errors import BadRequest
from core.evaluation.commands.options import Say
from core.stages import pieces
from core.stages.pieces import StageOrder

__all__ = ["do", "spread"]

WINDOW = 64  # pieces asked for at once
AGAIN_S = 120.0  # after so long a piece is asked for again
TRIES = 3  # then it is made here, where its error is seen
POLL_S = 0.2


def spread(order: StageOrder, keys: Sequence[str], say: Say) -> None:
    """Until all are there. Raises BadRequest if the folder is not below the one that
    all machines share, ConnectionError if the broker is away."""
    sent = asdict(_from_here(order))
    waiting, asked = deque(keys), dict[str, tuple[float, int]]()
    while waiting or asked:
        for key, (at, tries) in list(asked.items()):
            if pieces.is_done(order, key):
                del asked[key]
                say(f"{len(keys) - len(asked) - len(waiting)} of {len(keys)} pieces")
            elif tries >= TRIES and time.monotonic() - at > AGAIN_S:
                pieces.do(order, key)
            elif time.monotonic() - at > AGAIN_S:
                celery.ask_for_piece(sent, key)
                asked[key] = time.monotonic(), tries + 1
        while waiting and len(asked) < WINDOW:
            key = waiting.popleft()
            celery.ask_for_piece(sent, key)
            asked[key] = time.monotonic(), 1
        time.sleep(POLL_S)


def do(order: dict[str, str], key: str) -> None:
    """A worker's part. Raises BadRequest on a folder outside of the shared one."""
    root = disk.shared().resolve()
    sent = StageOrder(**order)
    folder = (root / sent.folder).resolve()
    if not folder.is_relative_to(root) or not key.isalnum():
        raise BadRequest(f"{folder} is not below {root}")
    pieces.do(replace(sent, folder=str(folder), models=str(settings.MODELS_DIR)), key)


def _from_here(order: StageOrder) -> StageOrder:
    root = disk.shared().resolve()
    if not Path(order.folder).is_relative_to(root):
        raise BadRequest(f"--out must be below {root}, which all workers reach.")
    return replace(order, folder=str(Path(order.folder).relative_to(root)), models="")
