"""Comparing two answers fairly, and what all comparisons of two answers share."""
