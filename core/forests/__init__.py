"""Packed forests: inside and outside, Viterbi, k best, pruning, derivations, CKY."""
