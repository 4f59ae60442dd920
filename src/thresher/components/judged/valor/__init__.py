"""Valor's text-generation metrics: its formulas and edge cases, with different prompts."""
