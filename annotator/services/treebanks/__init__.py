"""Work on whole treebanks: many trees at once, rules, worklists."""
