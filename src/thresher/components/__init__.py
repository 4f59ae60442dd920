"""Haystack components, one metric each."""
