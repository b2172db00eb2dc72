"""The content of pages: scenes, tables, JSON for the editor. Reads, never writes."""
