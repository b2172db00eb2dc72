"""Choe & McClosky 2015: parsing a sentence with its paraphrase."""
