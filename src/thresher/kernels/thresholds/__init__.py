"""Thresholds of scored labels: of a classifier's labels, and of a detector's objects."""
