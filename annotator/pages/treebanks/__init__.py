"""Pages of work on whole treebanks."""
