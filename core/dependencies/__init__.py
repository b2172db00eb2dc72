"""Arc weights to trees: Eisner, spanning arborescences, marginals."""
