"""Comparisons of two answers: inputs, votes and scores."""
