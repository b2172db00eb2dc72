"""Parallel text in and out: Moses pairs of files, TSV, TMX. Each codec is a module with
``read(...) -> Iterator[BitextRecord | BadLine]``, streamed, a record for each line."""
