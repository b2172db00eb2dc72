"""What only judging at speed needs: compiled statements, write turns."""
