"""Every measure of an engine against gold: parsers, words, phrases, joint parsing."""
