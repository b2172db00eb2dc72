"""Agreement reports: what they read, live and frozen."""
