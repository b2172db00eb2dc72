"""What gunicorn does around its workers: the first suggestion need not be waited for.

The thesaurus is read once, before the workers part from the process that they share
memory with; compiled code is loaded by each, in the background. This file is read
before Django is set up, so that services are imported where they are used.
"""

import threading
from typing import Any

__all__ = ["post_fork", "when_ready"]


def when_ready(server: Any) -> None:
    """Before the workers start."""
    from annotator.services import proposing

    proposing.warm_thesaurus()


def post_fork(server: Any, worker: Any) -> None:
    """In each worker as it starts."""
    from annotator.services import proposing

    threading.Thread(target=proposing.warm, daemon=True).start()
