"""Judgments of items: columns, plans, conditions, reports of a campaign."""
