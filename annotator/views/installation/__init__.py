"""What runs here: backups, for who owns it; its state, for programs."""
