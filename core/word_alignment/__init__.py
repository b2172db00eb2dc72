"""Which words of two sentences mean the same: of one language (features and a model of
them) and of two (IBM Model 1, the HMM, symmetrisation; Och & Ney 2003)."""
