"""The commands of these studies, a module each."""
