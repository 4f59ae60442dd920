"""Comparison of the calls of tools that a model made with those that were expected."""
