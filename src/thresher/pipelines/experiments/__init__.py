"""Experiments: vary a query pipeline, answer the questions with each configuration, compare them."""
