"""Parsers behind the protocol: registry, model folders, back-ends, conformance."""
