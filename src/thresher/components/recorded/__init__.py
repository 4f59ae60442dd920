"""Scores that something else produced."""
