"""Asking a model, and reading what it replies."""
