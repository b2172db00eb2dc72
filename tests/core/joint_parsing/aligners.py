"""Word aligners for tests of joint parsing."""

from core.data.alignment import Link
from core.protocols import Analysis


class NoLinks:
    """Links nothing."""

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]:
        return ()
