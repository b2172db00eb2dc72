"""Watching the installation: is it ready, what is asked of it, how are its jobs."""
