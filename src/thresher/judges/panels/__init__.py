"""Panels: several judges vote on every verdict of a metric."""
