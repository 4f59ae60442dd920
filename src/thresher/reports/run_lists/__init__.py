"""Runs of a project, listed and over time."""
