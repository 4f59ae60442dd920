"""Judged metrics of conversations and agents."""
