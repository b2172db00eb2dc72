"""Sealed releases of projects: their contents, names, and the job."""
