"""Agreement reports: of judgments and of alignment layers."""
