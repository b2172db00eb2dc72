"""Compiled loops over packed forests and spans."""
