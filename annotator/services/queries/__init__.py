"""Searching trees, arcs and links: the index, queries as SQL, results."""
