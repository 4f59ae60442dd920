"""Metrics of rankings: inputs, matching, and the base class."""
