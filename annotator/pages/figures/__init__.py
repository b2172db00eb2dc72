"""A pair or a sentence as a file to print."""
