"""Trees and arcs edited by programs: drafts, step by step."""
