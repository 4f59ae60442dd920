"""Metrics of items with several labels."""
