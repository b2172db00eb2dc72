"""Scenes to SVG text, and SVG to PDF and PNG. Only this package imports svgwrite."""
