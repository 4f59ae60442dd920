"""Metrics of labels: inputs in all their forms, and the base class."""
