"""Studies of engines against gold that users of Gemel do not run."""
