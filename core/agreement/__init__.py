"""Agreement of judges, layers and trees, corrected for chance."""
