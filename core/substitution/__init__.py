"""Words that a parser hardly knows, replaced by words that behave alike.

Caplan, Fox, McClosky & Charniak, "Leveraging Lexical Substitution for Parser
Adaptation": counts of a linking corpus, divergences, the parser that substitutes.
"""
