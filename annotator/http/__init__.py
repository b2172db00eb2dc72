"""Processing common to all requests: middleware, addresses, limits, template
context."""
