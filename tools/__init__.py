"""What keeps the repository itself: its floors, and the drawing of them."""
