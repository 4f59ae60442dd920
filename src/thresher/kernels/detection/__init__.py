"""Comparison of predicted objects with true ones: geometry, matching, and metrics of the matches."""
