"""What a page shows: scenes, tables, JSON for the editor. Reads, never writes."""
