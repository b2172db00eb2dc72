"""Agreement reports: their input, live and frozen."""
