"""Ragas' metrics: its definitions with the defects of its implementation repaired, and prompts of our own."""
