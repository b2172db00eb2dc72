"""Building a paraphrase table from aligned, parsed pairs: stages in SQL and numpy."""
