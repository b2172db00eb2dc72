"""Search and summation over structures; weights come in as arrays, never from here."""
