"""How well phrases are aligned: scores against gold links, fitting, treebanks."""
