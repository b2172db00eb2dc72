"""Scenes to SVG text, and SVG to PDF and PNG. svgwrite is known here alone."""
