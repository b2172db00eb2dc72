"""Joint parsing against gold trees: scores, errors by kind, fitting."""
