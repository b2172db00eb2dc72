"""Searching trees, arcs and links: the index, queries as SQL, what they find."""
