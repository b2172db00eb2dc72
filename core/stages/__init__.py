"""Large text in pieces: each is done once, by whoever takes it, with the same rows."""
