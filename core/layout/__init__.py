"""Geometry: values in, a frozen Scene of boxes and lines out. No colours, no markup."""
