"""Scoring rankings."""
