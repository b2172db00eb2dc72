"""Problems of a tree: declared rules, Universal Dependencies, contradictions."""
