"""Comparison of labels pixel by pixel."""
