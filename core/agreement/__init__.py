"""Agreement: how far judges, layers and trees agree, and what of it is chance."""
