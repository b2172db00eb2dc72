"""Corpora: imports, exports, bundles, the sample, trees that people wrote."""
