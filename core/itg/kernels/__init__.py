"""Compiled loops of bracketing ITG."""
