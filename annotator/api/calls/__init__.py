"""What holds for every call: who, how often, what may be sent, how it is described."""
