"""A measure over the runs of a project: alarm, history of each item."""
