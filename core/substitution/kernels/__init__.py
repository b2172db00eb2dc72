"""Compiled loops of lexical substitution."""
