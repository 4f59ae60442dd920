"""Ragas' metrics: its definitions without the defects of its implementation, with different prompts."""
