"""Rules for every call: authentication, rates, bodies, descriptions."""
