"""The commands about releases; see ``core.commands.catalogue``."""
