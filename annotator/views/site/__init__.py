"""What every page leads to: help and the tour."""
