"""Limits of a server process: connections and memory."""
