"""What made the shipped models and what measures them; the product never imports it."""
