"""Date and number formats of each language."""
