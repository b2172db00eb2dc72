"""Commands over large text."""
