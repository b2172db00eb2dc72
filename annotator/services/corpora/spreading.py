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
from typing import Any

from django.conf import settings

from annotator import celery, disk
from annotator.errors import BadRequest
from core.evaluation.commands.options import Say
from core.stages import pieces
from core.stages.pieces import StageOrder

__all__ = ["do", "spread"]

SIZE = 8  # pieces of a message: a worker loads its model for each message
WINDOW = 16  # messages that are not answered yet
AGAIN_S = 300.0  # after so long what has not come is asked for again
TRIES = 3  # then it is made here, where its error is seen
POLL_S = 0.2


def spread(order: StageOrder, keys: Sequence[str], say: Say) -> None:
    """Until all are there. Raises BadRequest if the folder is not below the one that
    all machines share, ConnectionError if the broker is away."""
    sent = asdict(_from_here(order))
    waiting = deque(tuple(keys[k : k + SIZE]) for k in range(0, len(keys), SIZE))
    asked = dict[tuple[str, ...], tuple[float, int]]()
    n_done = 0
    while waiting or asked:
        while waiting and len(asked) < WINDOW:
            asked[waiting.popleft()] = -AGAIN_S, 0
        for group, (at, tries) in list(asked.items()):
            left = [key for key in group if not pieces.is_done(order, key)]
            if not left:
                del asked[group]
                n_done += len(group)
                say(f"{n_done} of {len(keys)} pieces")
            elif time.monotonic() - at > AGAIN_S and tries >= TRIES:
                for key in left:
                    pieces.do(order, key)
            elif time.monotonic() - at > AGAIN_S:
                celery.ask_for_pieces(sent, left)
                asked[group] = time.monotonic(), tries + 1
        time.sleep(POLL_S)


def do(order: dict[str, Any], keys: Sequence[str]) -> None:
    """A worker's part. Raises BadRequest on a folder outside of the shared one."""
    root = disk.shared().resolve()
    sent = StageOrder(**order)
    folder = (root / sent.folder).resolve()
    if not folder.is_relative_to(root) or not all(key.isalnum() for key in keys):
        raise BadRequest(f"{folder} is not below {root}")
    mine = replace(sent, folder=str(folder), models=str(settings.MODELS_DIR))
    for key in keys:
        pieces.do(mine, key)


def _from_here(order: StageOrder) -> StageOrder:
    root = disk.shared().resolve()
    if not Path(order.folder).is_relative_to(root):
        raise BadRequest(f"--out must be below {root}, which all workers reach.")
    return replace(order, folder=str(Path(order.folder).relative_to(root)), models="")
