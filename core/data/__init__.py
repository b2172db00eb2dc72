"""Frozen values of the engine: checked when made, free of any behaviour of search."""
