"""Metrics of items with several labels: inputs in all their forms, and the base class."""
