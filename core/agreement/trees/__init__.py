"""Trees compared: PARSEVAL, attachment, changes, trees of several annotators."""
