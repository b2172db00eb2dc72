"""Pages of campaigns: the overview, the set-up, the items."""
