"""Command-line interfaces of paraphrase tables."""
