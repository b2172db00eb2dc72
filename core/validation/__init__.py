"""What is wrong with a tree: declared rules, Universal Dependencies, contradictions."""
