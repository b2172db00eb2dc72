"""Links between words and phrases: jobs, layers, operations, proposals, scores."""
