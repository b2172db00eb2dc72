"""Gemel's web app: people, rows and requests around the engine in ``core``."""

import core as core  # before anything imports numpy: see there

__version__ = "0.1.0"
