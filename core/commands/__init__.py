"""Commands of the engine, for ``python -m core`` and ``manage.py`` alike."""
