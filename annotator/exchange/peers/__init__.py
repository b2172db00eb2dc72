"""Exports of other annotation tools, one module per tool.

``registry`` tells whose a file is; a module reads it as ``TaskAnnotation``s, one
annotator's look at one task each; ``sheets`` makes of them the rows that items and
ratings come from, and ``reports`` counts what the file holds and what of it is taken.
"""
