"""Structures decided together: two parses, two trees, forests and their links."""
