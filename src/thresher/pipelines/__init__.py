"""Recipes, the pipeline builder and the runner."""
