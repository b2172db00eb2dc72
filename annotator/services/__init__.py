"""Use cases: one module per noun, one function per verb. Only they write rows."""
