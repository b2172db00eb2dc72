"""From aligned, parsed pairs to a table of paraphrases: stages in SQL and numpy."""
