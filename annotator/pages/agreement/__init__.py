"""What the pages of agreement show: of judgments, and of layers of links."""
