"""Compiled loops of phrase extraction: arrays in, arrays out."""
