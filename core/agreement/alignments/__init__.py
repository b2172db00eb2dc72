"""Alignment layers compared: F1, alignment error rate, reports of a corpus."""
