"""Campaigns: set up, handed out, answered, checked, curated, rehearsed."""
