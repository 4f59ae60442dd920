"""Judging ranked lists of documents."""
