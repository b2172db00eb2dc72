"""Compiled loops of the parsers; arrays in, arrays out."""
