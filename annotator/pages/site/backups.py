"""The page of the installation's backups."""

from typing import Any

from annotator import backups as files
from annotator.models import ParaphraseTable
from annotator.monitoring import readiness
from annotator.services import jobs


def backups() -> dict[str, Any]:
    """Stored and running backups; no backup includes tables."""
    return {
        "state": files.state(),
        "needs": readiness.states(),
        "is_worker_alive": jobs.is_worker_alive(),
        "tables": ParaphraseTable.objects.ready(),
    }
