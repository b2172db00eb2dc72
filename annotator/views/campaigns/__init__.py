"""Campaigns: setting up, running, judging, curating."""
