"""Fair comparison of two answers."""
