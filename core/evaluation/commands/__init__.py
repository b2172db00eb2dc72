"""Command-line interfaces of the evaluations."""
