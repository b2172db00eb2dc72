"""Models that several folders share, and fitting: logistic, perceptron, weights."""
