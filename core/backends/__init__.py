"""Parsers behind one protocol, found lazily; model folders and their checks."""
