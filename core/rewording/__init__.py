"""Dependency trees reworded by rules that keep their meaning."""
