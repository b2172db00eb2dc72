"""Rare words replaced by words with similar contexts.

Caplan, Fox, McClosky & Charniak, "Leveraging Lexical Substitution for Parser
Adaptation": counts of a linking corpus, divergences, the parser that substitutes.
"""
