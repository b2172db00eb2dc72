"""Rules over trees: heads, binarisation, constituents to dependencies and UD."""
