"""The sample project: pairs, items, and how their sources are read."""
