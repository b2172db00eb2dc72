"""What every request passes: middleware, addresses, limits, what templates may use."""
