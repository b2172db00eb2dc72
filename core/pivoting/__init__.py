"""Paraphrases from parallel text under syntactic constraints: from pairs of sentences
to paraphrase tables (Callison-Burch 2008, "Syntactic Constraints on Paraphrases
Extracted from Parallel Corpora")."""
