"""The faces of the tables of paraphrases: arguments in, results and tables out."""
