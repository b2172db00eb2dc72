"""The faces of the evaluations: arguments in, results and tables out."""
