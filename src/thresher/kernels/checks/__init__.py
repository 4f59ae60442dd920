"""Checks of one text: JSON, conditions, sentences, citations, refusals, queries."""
