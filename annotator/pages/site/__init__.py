"""What every page shows: where one is, what is to do, help, the search."""
