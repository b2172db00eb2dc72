"""Work on whole treebanks."""
