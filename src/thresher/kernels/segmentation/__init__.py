"""Comparing labels pixel by pixel."""
