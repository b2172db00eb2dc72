"""What the pages about paraphrases show."""
