"""Arase & Tsujii 2017: aligning the phrases of two parse forests."""
