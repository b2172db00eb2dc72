"""What a process of the server may cost: connections, and memory."""
