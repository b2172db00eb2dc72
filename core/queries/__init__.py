"""Searching trees, arcs and links: the language, its abstract syntax, rows of nodes."""
