"""Paraphrases out of parallel text, under syntactic constraints: from pairs of
sentences to tables of paraphrases (Callison-Burch 2008, "Syntactic Constraints on
Paraphrases Extracted from Parallel Corpora")."""
