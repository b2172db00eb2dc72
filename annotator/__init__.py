"""Gemel's web app: people, rows and requests around the engine in ``core``."""

__version__ = "0.1.0"
