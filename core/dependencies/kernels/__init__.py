"""Compiled loops over arcs."""
