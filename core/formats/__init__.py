"""Codecs: text to core values and back; one module per format, grammar in its head."""
