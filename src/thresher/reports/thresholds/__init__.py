"""Thresholds of scores: percentiles, and the best thresholds against labels."""
