"""Compiled loops of phrase alignment."""
