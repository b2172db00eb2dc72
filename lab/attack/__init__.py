"""Attacks on a running Gemel, and what other people notice of them meanwhile."""
