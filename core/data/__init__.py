"""Frozen values of the engine: checked on construction, without algorithms."""
