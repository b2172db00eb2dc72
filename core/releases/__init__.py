"""Sealed releases: one file with a whole project that anyone can verify.

A release is a zip:

    release.json              the manifest, and the seal over it
    DATASHEET.md              what it is, in the order of Gebru et al. 2021
    corpora/<name>.gemel      sentences, trees, pairs, links (core.formats.gemel)
    campaigns/<name>/…        items, scales, guidelines, judgments, decisions, report
    ledger.jsonl              every act, each entry with the digest of the one before
    environment.json          versions of what made it
"""
