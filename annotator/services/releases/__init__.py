"""Sealed releases of projects: what goes in, under which names, and the job."""
