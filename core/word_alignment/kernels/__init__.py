"""Compiled loops: arrays in, arrays out; they check nothing and raise nothing."""
