"""Comparing predicted labels with true ones."""
