"""Monitoring of the installation: readiness, requests, jobs."""
