"""Paraphrases out of parallel text: bringing it in, linking and parsing it; tables of
them, made by jobs, and reading them."""
