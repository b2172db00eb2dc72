"""Parts that judging at speed needs: compiled statements, write turns."""
