"""Requests to judges: limits, retries, answer cache and accounts."""
