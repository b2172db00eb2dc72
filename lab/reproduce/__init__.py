"""Published results, measured again on this installation: one module a paper.

Each module has ``HELP``, ``add_arguments(parser)``, ``run(options, say) -> results``
(plain values for JSON) and ``lines(results)`` (the same as a table).
"""
