"""Models that several folders fit and apply: logistic, perceptron, weights."""
