"""What each language says and how it writes dates and figures."""
