"""Thresher: evaluation components and reports for Haystack."""

__version__ = "0.1.0"
