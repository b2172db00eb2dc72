"""Evaluation against gold: parsers, words, phrases, joint parsing."""
