"""Codecs of links: between words, phrases, chunks and nodes of trees."""
