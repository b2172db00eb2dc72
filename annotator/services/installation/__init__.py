"""What concerns the installation as a whole: its archives, its disk, its database."""
