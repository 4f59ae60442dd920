"""Metrics of ranked lists of documents."""
