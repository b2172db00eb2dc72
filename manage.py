#!/usr/bin/env python
"""Gemel's command line in a clone: ``python manage.py help``."""

from annotator.__main__ import main

if __name__ == "__main__":
    main()
