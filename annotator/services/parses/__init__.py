"""Parses of corpora, single and joint: jobs, scores against gold, the ledger."""
