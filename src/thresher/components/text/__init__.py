"""Metrics that compare an answer with reference answers."""
