"""The content of agreement pages: judgments and alignment layers."""
