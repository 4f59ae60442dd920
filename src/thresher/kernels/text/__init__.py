"""Comparing texts."""
