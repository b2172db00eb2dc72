"""A PCFG trained from any treebank in a minute: Klein & Manning 2003, smoothed."""
