"""Comparison of texts."""
