"""Wu 2005: bracketing ITG biparsing, to recognise paraphrase and entailment."""
